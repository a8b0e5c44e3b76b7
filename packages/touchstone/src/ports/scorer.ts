import type { CriterionResult, Digest, InvocationOutcome, Score } from '@touchstone/protocol';
import type { Body, MemoryEntry, RecordBodies, Task } from '@touchstone/protocol/bodies';
import type { OfferedTool } from './agent.js';
import type { Spend } from './judge.js';
import type { ScoredCall } from './scored-call.js';
import type { MaybePromise } from './system.js';
import type { Usage } from './usage.js';

/** What a scorer may look at. `output` is absent when the agent gave no answer. */
export type Transcript = {
  readonly output?: Body;
  readonly outcome: InvocationOutcome;
  readonly toolCalls: readonly ScoredCall[];
  /** The system prompt, when it is ours to know. */
  readonly prompt?: string;
  /** What the agent's model calls used, priced where the price is known; absent when nothing was reported. */
  readonly usage?: readonly Usage[];
  /** The tools that were offered; absent when that is not known any more. */
  readonly offered?: readonly OfferedTool[];
  /** What the agent remembered when it was asked. */
  readonly memory?: readonly MemoryEntry[];
  /** What was decided about each criterion when the answer was scored first. Only a judge is asked again. */
  readonly decided?: RecordBodies['criteria'];
  /** How many answers the agent gave in a conversation; absent for a single one. */
  readonly turns?: number;
  /** How long the agent took; absent for an answer that no agent was waited for. */
  readonly latencyMs?: number;
  /** Where chance begins; the same for the same repeat of the same task. */
  readonly seed: string;
  /** A secret of this host stood in the answer, which has been redacted since: it would not be found again. */
  readonly leaked?: true;
};

export type ScoringResult = {
  readonly score: Score;
  readonly criteria?: readonly CriterionResult[];
  readonly judge?: Digest;
  /** Whether the answer fits the schema a criterion asks for; otherwise the agent's own schema says it. */
  readonly schemaValid?: boolean;
  readonly bodies?: Pick<RecordBodies, 'criteria' | 'reason'>;
};

/** How the tasks of one run are scored. Golden scoring answers at once; a judge takes its time. */
export type Scoring = {
  /** What a judge costs is paid through `spend` before its verdict is used. */
  score(task: Task, transcript: Transcript, signal: AbortSignal, spend: Spend): MaybePromise<ScoringResult>;
  close(): void;
};
