import type { EvalSummary } from '../wire/openwop/eval-summary.js';
import type { EmbedderPin, JudgeIdentity, ModelPin } from '../wire/vendor/parts.js';
import type { Digest, RunId, Timestamp } from './ids.js';
import type { EvalMode } from './modes.js';
import type { AgentPin, SuitePin } from './run.js';
import type { TaskResult, Thresholds } from './score.js';
import type { ContractVerdict } from './verdicts.js';

/**
 * Everything about a completed eval run that can travel: scores, ids and digests, no content. It is enough to check the
 * summary by folding the results again, and to serve as a baseline where the run's log is not.
 */
export type Scorecard = {
  readonly runId: RunId;
  readonly suite: SuitePin;
  readonly agent: AgentPin;
  readonly model?: ModelPin;
  readonly judge?: JudgeIdentity;
  readonly safetyJudge?: JudgeIdentity;
  readonly safetyPolicy?: Digest;
  /** The contract it was scored under, and who compared meanings for it. */
  readonly contract?: Digest;
  readonly embedder?: EmbedderPin;
  /** Whether that contract was kept, which decides; `summary.passed` is the word of the thresholds. Older files lack it. */
  readonly contractVerdict?: ContractVerdict;
  /** Of a part of such a suite, whose pass score is a bar for the whole of it: whether the other bars are met. */
  readonly otherBarsMet?: boolean;
  readonly modes: readonly EvalMode[];
  readonly totalTasks: number;
  readonly repeats: number;
  readonly thresholds?: Thresholds;
  /** One per selected task, in suite order. */
  readonly results: readonly TaskResult[];
  readonly summary: EvalSummary;
  readonly startedAt: Timestamp;
  readonly endedAt: Timestamp;
  /** The log it is folded from. Equal runs, and replays of one run, have equal log digests. */
  readonly log: { readonly events: number; readonly digest: Digest };
  /** What a gate has to know: such a run is no evidence. */
  readonly caveats?: {
    readonly rejudgeOf?: RunId;
    readonly forkOf?: RunId;
    readonly cacheHits?: number;
    readonly mock?: true;
    readonly targetMismatch?: true;
    readonly nondeterministic?: true;
  };
};
