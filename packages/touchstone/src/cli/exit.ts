import { type ContractVerdict, type RunStatus, verdictOn } from '@touchstone/protocol';

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
  /** The suite's bars, those that apply; undefined when there is no scorecard. */
  readonly passed?: boolean;
  /** Whether every gate of the contract was passed, of a run that has one; `error` when nobody could tell. */
  readonly contract?: ContractVerdict;
  /** Certainty was asked for, and chance alone could explain what came out. */
  readonly inconclusive?: boolean;
  /** Worse than its baseline, and not by chance. */
  readonly regressed?: boolean;
};

export function decideExit(outcome: Outcome): ExitCode {
  if (outcome.interrupted) return 130;
  if (outcome.badInput) return 2;
  if (outcome.errorCode === 'budget_exhausted') return 4;
  const { passed, unscored = 0, contract } = outcome;
  if (outcome.status !== 'completed' || passed === undefined) return 3;
  const verdict = verdictOn({ passed, unscored, ...(contract && { contractVerdict: contract }) });
  if (verdict === 'error' || outcome.inconclusive) return 3;
  return verdict === 'pass' && !outcome.regressed ? 0 : 1;
}

export const worstExit = (codes: readonly ExitCode[]): ExitCode =>
  EXIT_ORDER.find((code) => codes.includes(code)) ?? 0;
