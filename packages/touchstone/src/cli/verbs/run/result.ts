import { outcomeOf, type RunView as SdkRunView } from '@touchstone/sdk/view';

export type { CriterionBody, Failure, FailureBodies } from '@touchstone/sdk';
export { refOf } from '@touchstone/sdk/view';

import type { SuiteSource } from '../../files/suite-source.js';
import { EXIT_CODES, type ExitCode } from '../../io.js';
import { failedCheck } from '../../render/difference.js';
import type { Promotion } from '../deployments/promotion.js';

/** A suite of a folder that was not run, and why. */
export type RefusedSuite = {
  readonly suite: { readonly ref: string };
  readonly exitCode: ExitCode;
  readonly error: { readonly code: string; readonly message: string };
};

/** A suite of which nothing was to be run: no task was chosen, or none had failed. */
export type SkippedSuite = {
  readonly suite: { readonly ref: string };
  readonly exitCode: ExitCode;
  readonly skipped: string;
};

/** A run as a command tells of it: what its host knows, and what the command did besides. */
export type RunView = SdkRunView & {
  /** The suite file that `--record` has written. */
  readonly recorded?: string;
  /** What came of promoting the agent on the evidence of this run; absent when that was not tried. */
  readonly promotion?: Promotion | FailedPromotion;
};

/** It could not even be asked for. */
type FailedPromotion = {
  readonly exitCode: ExitCode;
  readonly error: { readonly code: string; readonly message: string };
};

/** Of the command: an agent is promoted only on a run that passed, and then its promotion decides. */
export const exitOfAll = (result: RunView): ExitCode => result.promotion?.exitCode ?? exitOf(result);

export const exitOf = (result: RunView): ExitCode => EXIT_CODES[outcomeOf(result)];

/** The same result for places where content does not belong: of it, only which check failed and where is kept. */
export const withoutBodies = (result: RunView): RunView => ({
  ...result,
  failures: result.failures.map(({ bodies, ...facts }) => {
    // An answer that broke its schema was never compared.
    const check = bodies && facts.schemaValid !== false ? failedCheck(bodies) : undefined;
    return check ? { ...facts, check } : facts;
  }),
});

/** One suite of a command: its result, the reason it was refused, or why nothing of it was to be run. */
export type Attempt =
  | {
      readonly result: RunView;
      /** What was run; absent for a run that is shown or resumed. */
      readonly source?: SuiteSource;
    }
  | { readonly refused: RefusedSuite }
  | { readonly skipped: SkippedSuite };

/** Of one suite. A suite that was skipped beside others that ran counts for nothing. */
export function exitOfAttempt(attempt: Attempt): ExitCode {
  if ('result' in attempt) return exitOfAll(attempt.result);
  return 'refused' in attempt ? attempt.refused.exitCode : attempt.skipped.exitCode;
}

/** What `--json` tells of a suite. */
export const isRun = (attempt: Attempt): attempt is Extract<Attempt, { result: RunView }> =>
  'result' in attempt;
