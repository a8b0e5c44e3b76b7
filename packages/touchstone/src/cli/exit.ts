import { decideOutcome, type Outcome, type OutcomeFacts } from '@touchstone/sdk/view';

/** In order of precedence: the first that applies to a run, or to any run of a folder, is the answer. */
export const EXIT_ORDER = [130, 2, 4, 3, 1, 0] as const;
export type ExitCode = (typeof EXIT_ORDER)[number];

export const EXIT_CODES: { readonly [outcome in Outcome]: ExitCode } = {
  interrupted: 130,
  'over-budget': 4,
  unjudged: 3,
  failed: 1,
  passed: 0,
};

export const decideExit = (facts: OutcomeFacts & { readonly badInput?: boolean }): ExitCode =>
  facts.badInput && !facts.interrupted ? 2 : EXIT_CODES[decideOutcome(facts)];

export const worstExit = (codes: readonly ExitCode[]): ExitCode =>
  EXIT_ORDER.find((code) => codes.includes(code)) ?? 0;
