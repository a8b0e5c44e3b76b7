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

/** A worker as the others see it. */
export type WorkerRow = Worker & {
  /** The machine and the number of its process. */
  readonly name: string;
  /** When it told of itself last, by the clock of the store. */
  readonly beatAt: number;
};

/** The processes that take up runs of this store, of all owners. */
export type Workers = {
  /** Tells the others that this process is there. */
  beat(worker: Worker): Promise<void>;
  /**
   * Another number after each time that the others could have counted this process as lost, although it has told them; undefined while
   * they can. What it held before may be with them.
   */
  presence(): number | undefined;
  /** This process takes up no more. */
  leave(): Promise<void>;
  /** Those that have told so lately, this process included. */
  list(): Promise<readonly WorkerRow[]>;
  /** Forgets those that have not told so for long. */
  sweep(): Promise<void>;
  /** Runs of all owners that wait for a driver, now. */
  waitingRuns(): Promise<number>;
};
