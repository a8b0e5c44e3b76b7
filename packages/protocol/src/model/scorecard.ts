import type { EvalSummary } from '../wire/openwop/eval-summary.js';
import type { EmbedderPin, JudgeIdentity, ModelPin, ScorerPin, SimulatedUser } from '../wire/vendor/parts.js';
import type { Digest, RunId, Timestamp } from './ids.js';
import type { EvalMode } from './modes.js';
import type { AgentPin, SuitePin } from './run.js';
import type { TaskResult, Thresholds } from './score.js';
import type { ContractVerdict } from './verdicts.js';

/** The result of a task, and which task it was: equal digests are equal tasks, whatever else their suites hold. */
export type ScorecardResult = TaskResult & {
  /** Of the canonical JSON of the task. Older files lack it. */
  readonly taskDigest?: Digest;
};

/**
 * Everything about a completed eval run that can travel: scores, ids and digests, no content. It is enough to check the
 * summary by folding the results again, and to serve as a baseline where the run's log is not.
 */
export type Scorecard = {
  /** The run that it is about. */
  readonly runId: RunId;
  /** The suite that ran. */
  readonly suite: SuitePin;
  /** The agent that was evaluated. */
  readonly agent: AgentPin;
  /** The model that the host asked for the agent; absent when the agent brings its own. */
  readonly model?: ModelPin;
  /** Who decided criteria that are prose; absent when no judge was asked. */
  readonly judge?: JudgeIdentity;
  /** The model that looked at every answer of an adversarial run. */
  readonly safetyJudge?: JudgeIdentity;
  /** The safety policy it was scored under, when that is not the default one. */
  readonly safetyPolicy?: Digest;
  /** The contract it was scored under; absent when the suite has none. */
  readonly contract?: Digest;
  /** The model that compared meanings for the contract. */
  readonly embedder?: EmbedderPin;
  /** Who played the user of conversations; absent when nobody did. */
  readonly simulatedUser?: SimulatedUser;
  /** Programs of the operator that decided criteria; absent when no criterion names one. */
  readonly scorers?: readonly ScorerPin[];
  /** Whether that contract was kept, which decides; `summary.passed` is the word of the thresholds. Older files lack it. */
  readonly contractVerdict?: ContractVerdict;
  /** When only a part of such a suite ran: whether the thresholds other than the pass score are met. Absent otherwise. */
  readonly otherBarsMet?: boolean;
  /** How the run was done. */
  readonly modes: readonly EvalMode[];
  /** Tasks of the suite; fewer results mean that only a part of it ran. */
  readonly totalTasks: number;
  /** How often each task ran. */
  readonly repeats: number;
  /** What the run had to reach; absent when the host's defaults decided. */
  readonly thresholds?: Thresholds;
  /** One per selected task, in suite order. */
  readonly results: readonly ScorecardResult[];
  /** As the wire shows it; it can be checked by folding the results. */
  readonly summary: EvalSummary;
  /** When the run left `pending`. */
  readonly startedAt: Timestamp;
  /** When it ended. */
  readonly endedAt: Timestamp;
  /** The log it is folded from. Equal runs, and replays of one run, have equal log digests. */
  readonly log: { readonly events: number; readonly digest: Digest };
  /** What a gate has to know: such a run is no evidence. */
  readonly caveats?: {
    /** The answers are those of this run, judged again. */
    readonly rejudgeOf?: RunId;
    /** The run begins with the history of this one. */
    readonly forkOf?: RunId;
    /** That many model calls were answered from the response cache. */
    readonly cacheHits?: number;
    /** The model, a judge or the user is scripted. */
    readonly mock?: true;
    /** The suite was written for another agent. */
    readonly targetMismatch?: true;
    /** Live tools took part. */
    readonly nondeterministic?: true;
    /** A scorer decided criteria that the operator does not trust as evidence. */
    readonly codeScorer?: true;
    /** The answers came in a file. */
    readonly recorded?: true;
  };
};

/** Drops the digests of tasks when the other scorecard of the run predates them, so that old and new files compare equal. */
export function withoutTaskDigests<T extends Pick<Scorecard, 'results'>>(
  card: T,
  { results: others }: Pick<Scorecard, 'results'>,
): T {
  if (others.some(({ taskDigest }) => taskDigest !== undefined)) return card;
  return { ...card, results: card.results.map(({ taskDigest: _, ...result }) => result) };
}
