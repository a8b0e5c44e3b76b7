import type { ScorerPin } from '@touchstone/protocol';
import type { Body } from '@touchstone/protocol/bodies';

/** What a scorer gave back, read by whoever asked it; or why it gave nothing back. */
export type ScorerAnswer =
  | { readonly kind: 'given'; readonly value: Body }
  | { readonly kind: 'failed'; readonly reason: string };

/** A program of the operator that decides criteria. */
export type Scorer = {
  readonly pin: ScorerPin;
  /** Hands it a document of `touchstone.scorer/1`. Rejects only when the signal aborts. */
  ask(document: Body, signal: AbortSignal): Promise<ScorerAnswer>;
  close(): void;
};
