import type { ModelPin } from '../wire/vendor/parts.js';
import type { EvalReport } from '../wire/vendor/report/report.js';
import type { JudgeCalibration } from '../wire/vendor/review.js';
import type { Digest, RunId } from './ids.js';
import type { EvalMode } from './modes.js';
import type { EvalPlan, RunTotals, SuitePin } from './run.js';
import type { RunStatus } from './status.js';

/** Facts about an eval run that someone offers as proof. No content; only ids, numbers and verdicts. */
export type Evidence = {
  /** The run that is offered. */
  readonly runId: RunId;
  /** Where it stands. */
  readonly status: RunStatus;
  /** What it was to do. */
  readonly plan: EvalPlan;
  /** When it ended, in milliseconds since 1970; absent while it has not. */
  readonly endedAt?: number;
  /** Its totals; absent while it has not completed. */
  readonly headline?: RunTotals;
  /** What the gate's reference leads to now, with its contract; absent when there is no such suite. */
  readonly suite?: SuitePin & { readonly modes: readonly EvalMode[]; readonly contract?: Digest };
  /** Whether a key that is trusted now has signed the suite that was run. */
  readonly suiteSigned?: boolean;
  /** The model that the agent uses by default; absent when it brings its own. */
  readonly model?: ModelPin;
  /** Of a completed run. `regression` is against what serves now, when something does. */
  readonly report?: EvalReport;
  /** The result with the corrections of everyone but the principal who promotes; absent when there are none. */
  readonly adjusted?: { readonly score: number; readonly passed: boolean };
  /** Whether the gates of its test contract held; absent when the suite has none. */
  readonly contractPassed?: boolean;
  /** What is known of its judge, as far as the gate lets it count; absent when the gate does not ask, or there was no judge. */
  readonly calibration?: JudgeCalibration & {
    /** As many labels there are when older verdicts of the judge count as well. */
    readonly anyAge: number;
  };
  /** Its judge is a portable one that the tenant brought along, and not one of the host's. */
  readonly ownJudge?: true;
  /** Something serves that it could not be compared with. */
  readonly incomparable?: true;
};

/** Why a run is no proof. */
export const EVIDENCE_REASONS = [
  'agent_revoked',
  'no_eval_run',
  'not_found',
  'not_an_eval',
  'not_finished',
  'not_completed',
  'other_agent',
  'other_version',
  'agent_changed',
  'files_not_followed',
  'other_suite',
  'suite_changed',
  'suite_not_signed',
  'not_original',
  'not_whole',
  'target_mismatch',
  'mock_model',
  'other_model',
  'cached',
  'other_judge',
  'judge_uncalibrated',
  'judge_labels_stale',
  'judge_kappa_low',
  'scorer_not_trusted',
  'recorded_answers',
  'from_future',
  'too_old',
  'unscored',
  'below_score',
  'not_passed',
  'contract_unmet',
  'not_compared',
  'regression',
  'inconclusive',
] as const;
/**
 * Why a run is no evidence for a gate. `docs/deployments.md` says of each what to do. The first that applies is
 * reported, in the order of `EVIDENCE_REASONS`.
 * - `agent_revoked`: the pack of the version is revoked, so nothing that was measured of it counts
 * - `no_eval_run`, `not_found`, `not_an_eval`, `not_finished`, `not_completed`: there is no completed eval run
 * - `other_agent`, `other_version`, `agent_changed`: it measured something else than what is to be deployed
 * - `files_not_followed`: nobody knows whether it did, because the digest of the agent does not cover all of its files
 * - `other_suite`, `suite_changed`, `suite_not_signed`, `not_original`, `not_whole`, `target_mismatch`: it is not the
 *   suite as the gate asks for it
 * - `mock_model`, `other_model`, `cached`, `other_judge`, `scorer_not_trusted`, `recorded_answers`, `from_future`,
 *   `too_old`: its measurement does not count here
 * - `judge_uncalibrated`, `judge_labels_stale`, `judge_kappa_low`: too little is known of its judge, or nothing new, or
 *   the judge differs too often from people
 * - `unscored`, `below_score`, `not_passed`, `contract_unmet`: its result is not good enough
 * - `not_compared`, `regression`, `inconclusive`: the comparison with what serves now is missing, bad, or not certain
 */
export type EvidenceReason = (typeof EVIDENCE_REASONS)[number];
