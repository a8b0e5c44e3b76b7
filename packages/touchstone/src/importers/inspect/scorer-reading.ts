import type { JsonObject } from '@touchstone/protocol';
import type { Expectation } from '../imported.js';

/** What a scorer is asked about. */
export type ScorerFacts = {
  readonly targets: readonly string[];
  readonly params: JsonObject;
  /** Says that the check means something else than the scorer. */
  changed(became: string): void;
  /** Says what is worth knowing about the check. */
  note(what: string): void;
};

/** A check, or why there is none. */
export type ScorerReading = { readonly entry: Expectation } | { readonly why: string };

export const lost = (why: string): ScorerReading => ({ why });
export const carried = (entry: Expectation): ScorerReading => ({ entry });

/** A text as a pattern that finds it. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
