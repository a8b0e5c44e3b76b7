import { decideOutcome, type Outcome, type OutcomeFacts } from '@touchstone/sdk/view';

/** The command line asks for something that cannot be: exit code 2, one sentence, and what to type instead. */
export class UsageError extends Error {
  readonly hint: string | undefined;
  /** For documents: `conflict` where a host would say so too. */
  readonly code: 'cli_error' | 'conflict';

  constructor(message: string, hint?: string, code: UsageError['code'] = 'cli_error') {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
    this.code = code;
  }
}

/** What options must not do together. In the texts, `%` stands for the flag that is wrong. */
export type OptionRule<T> = {
  /** The flag that is wrong here; none when all is well. */
  readonly wrong: (options: T) => string | false | undefined;
  readonly message: string;
  readonly hint?: string;
};

/** Throws for the first rule that is broken. */
export function checkRules<T>(rules: readonly OptionRule<T>[], options: T): void {
  for (const { wrong, message, hint } of rules) {
    const flag = wrong(options);
    if (flag) throw new UsageError(message.replaceAll('%', flag), hint?.replaceAll('%', flag));
  }
}

/** The first of these flags that was given. */
export const firstGiven = (flags: { readonly [flag: string]: unknown }): string | undefined =>
  Object.entries(flags).find(([, value]) => value !== undefined && value !== false)?.[0];

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
