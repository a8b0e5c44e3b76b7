import type { ProviderUsage } from '../facts.js';

/** What an agent or a judge says a model call used. The price is added by the host when it knows one. */
export type Usage = Pick<ProviderUsage, 'provider' | 'model' | 'inputTokens' | 'outputTokens'> & {
  readonly costUsd?: number;
  readonly cacheHit?: boolean;
};

/** The price of a call in USD, or undefined when nobody knows it. */
export type PriceOf = (usage: Usage) => number | undefined;
