import type { ResultSignal, SpanSignal } from './signals.js';

/** What sends to a collector. Each answers why it was not taken, by a name that quotes nothing; undefined when it was. */
export type Exporters = {
  spans(signals: readonly SpanSignal[]): Promise<string | undefined>;
  results(signals: readonly ResultSignal[]): Promise<string | undefined>;
  /** Closes connections that nobody waits for any more. */
  abandon(): void;
};
