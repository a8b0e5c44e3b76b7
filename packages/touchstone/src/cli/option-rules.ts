import { UsageError } from './usage-error.js';

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
