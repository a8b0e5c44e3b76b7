import type { ProviderUsage } from '@touchstone/protocol';

/** What an agent or a judge says a model call used. The price is added by the host when it knows one. */
export type Usage = Pick<ProviderUsage, 'provider' | 'model' | 'inputTokens' | 'outputTokens'> & {
  readonly costUsd?: number;
  /** The tokens were not counted: the numbers are 0 because the wire wants numbers, and no price follows from them. */
  readonly uncounted?: true;
  /** Answered from this host's response cache: the tokens are those of the call that was remembered, the money is none. */
  readonly cacheHit?: boolean;
  /** Input tokens that the provider itself had cached, and those it cached now; part of `inputTokens`. */
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** When this host asked the model and how long it took; absent when an agent asked it, or nobody did. */
  readonly time?: CallTime;
};

export type CallTime = {
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly of?: 'embedder';
};

/** The price of a call in USD, or undefined when it is not known. */
export type PriceOf = (usage: Usage) => number | undefined;
