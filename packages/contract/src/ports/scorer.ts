import type { Body, RecordBodies, Task } from '../bodies.js';
import type { InvocationOutcome, Score } from '../score.js';
import type { Usage } from './usage.js';

/** What a scorer may look at. `output` is absent when the agent gave no answer. */
export type Transcript = {
  readonly output?: Body;
  readonly outcome: InvocationOutcome;
};

export type Scored = {
  readonly score: Score;
  readonly usage?: readonly Usage[];
  readonly bodies?: Pick<RecordBodies, 'criteria' | 'reason'>;
};

/** Golden scoring answers at once; a judge takes its time. */
export type Scorer = (task: Task, transcript: Transcript, signal: AbortSignal) => Scored | Promise<Scored>;
