import type { EmbedderPin } from '@touchstone/protocol';
import type { Spend } from './judge.js';

/** Turns texts into vectors whose directions say what they mean. Rejects only when the signal aborts. */
export type Embedder = {
  readonly pin: EmbedderPin;
  /** One vector per text, all of the same length. What it costs is paid through `spend` before they are used. */
  embed(texts: readonly string[], signal: AbortSignal, spend: Spend): Promise<EmbeddingResult>;
  close(): void;
};

export type EmbeddingResult =
  | { readonly kind: 'embedded'; readonly vectors: readonly (readonly number[])[] }
  | { readonly kind: 'unreachable' | 'failed'; readonly reason: string };
