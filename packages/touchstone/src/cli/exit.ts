import type { RunStatus } from '@touchstone/contract';

/** In order of precedence: the first that applies to a run, or to any run of a folder, is the answer. */
export const EXIT_ORDER = [130, 2, 4, 3, 1, 0] as const;
export type ExitCode = (typeof EXIT_ORDER)[number];

export type Outcome = {
  readonly interrupted?: boolean;
  readonly badInput?: boolean;
  readonly status?: RunStatus;
  /** Code of the run's error when it failed. */
  readonly errorCode?: string;
  /** Tasks without a score for a reason that is not the agent's answer. */
  readonly unscored?: number;
  /** The suite's bar; undefined when there is no scorecard. */
  readonly passed?: boolean;
  /** Whether every gate of the contract was passed, of a run that has one; `error` when nobody could tell. */
  readonly contract?: 'pass' | 'fail' | 'error';
  /** Certainty was asked for, and chance alone could explain what came out. */
  readonly inconclusive?: boolean;
  /** Worse than its baseline, and not by chance. */
  readonly regressed?: boolean;
};

export function decideExit(outcome: Outcome): ExitCode {
  if (outcome.interrupted) return 130;
  if (outcome.badInput) return 2;
  if (outcome.errorCode === 'budget_exhausted') return 4;
  if (outcome.status !== 'completed' || outcome.passed === undefined || (outcome.unscored ?? 0) > 0) return 3;
  if (outcome.contract === 'error' || outcome.inconclusive) return 3;
  return outcome.passed && outcome.contract !== 'fail' && !outcome.regressed ? 0 : 1;
}

export const worstExit = (codes: readonly ExitCode[]): ExitCode =>
  EXIT_ORDER.find((code) => codes.includes(code)) ?? 0;
