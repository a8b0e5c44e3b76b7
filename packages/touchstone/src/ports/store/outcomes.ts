import type { HeadlineFigures, Owner, RunId } from '@touchstone/protocol';

/** What is kept beside a completed eval run, so that lists, matrices and histories need not read its results. */
export type RunOutcomes = {
  /** One character for each task of the suite, in its order: see `createOutcomes`. */
  readonly outcomes: string;
  readonly figures: HeadlineFigures;
};

export type Outcomes = {
  get(owner: Owner, runId: RunId): Promise<RunOutcomes | undefined>;
  /** For a run that ended without: what was found once is not computed again. */
  keep(owner: Owner, runId: RunId, outcomes: RunOutcomes): Promise<void>;
};
