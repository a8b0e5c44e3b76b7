import type { Digest } from '@touchstone/protocol';

/** A process that takes up runs. */
export type Worker = {
  /** What it brings along besides the store: agents with their files, models, judges, tools. */
  readonly environment: Digest;
  /** Of its program. */
  readonly version: string;
  /** Runs that it has taken up. */
  readonly atWork: number;
};

/** The processes that take up runs of this store, of all owners. */
export type Workers = {
  /** Tells the others that this process is there. */
  beat(worker: Worker): Promise<void>;
  /** This process takes up no more. */
  leave(): Promise<void>;
  /** Those that have told so lately, this process included. */
  list(): Promise<readonly Worker[]>;
  /** Runs of all owners that wait for a driver, now. */
  waitingRuns(): Promise<number>;
};
