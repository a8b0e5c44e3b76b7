import type { Digest, Owner, RunId } from '@touchstone/protocol';
import type { Lease } from './leases.js';
import type { SealedUnit, TaskRecord } from './run-log.js';
import type { Control } from './runs.js';

// How the units of one run are executed by several processes. Units are numbered in plan order: position × repeats + repeat.
//
//   work        what is open of a run, from its first unsealed unit on
//   assignment  a share of the run's concurrency that one process holds; the units it has claimed belong to it
//   claim       a few units in a row that an assignment has taken from the work
//   epoch       names one opening of the work: the token of the lease that opened it. It only grows

/** What a driver opens. */
export type WorkPlan = {
  /** Units before it are the driver's own: sealed, or executed by it. */
  readonly firstUnit: number;
  readonly units: number;
  /** Whether some of the units from there on are sealed. */
  readonly hasSealed: boolean;
  /** The slots of each assignment for now. With those that the driver uses itself they are the concurrency of the run. */
  readonly slots: readonly number[];
  /** Above it nothing is claimed. */
  readonly ceilingUsd?: number;
  /** Of the processes that are to execute it. */
  readonly environment?: Digest;
};

/**
 * Why nothing more of the work is claimed. `drain`: the driver lets what runs finish; `changed`: the agent's files have been
 * written to; `crashed`: a unit could not be executed by a defect.
 */
export type WorkStop = 'drain' | 'changed' | 'crashed';

export type WorkState = { readonly epoch: number; readonly stop?: WorkStop };

/** Work as a driver finds it that has not opened it. */
export type OpenWork = WorkState &
  Pick<WorkPlan, 'firstUnit'> & {
    /** Of all its assignments together. */
    readonly slots: number;
  };

export type UnitRange = { readonly first: number; readonly count: number };

/** A range of ordinals, both ends included. */
export type OrdinalRange = readonly [first: number, last: number];

export type WorkNews = {
  /** Absent when the work has ended, by another driver. */
  readonly epoch?: number;
  readonly stop?: WorkStop;
  readonly spentUsd: number;
  /** Claims behind the last one that was known, in order. None is ever missed: they are made one after the other. */
  readonly claims: readonly UnitRange[];
};

/** The open work of runs, for their drivers. All that changes it is fenced by the lease. */
export type Work = {
  /** Opens the work, or answers what an earlier driver has opened: those who execute it go on. It is offered to nobody yet. */
  open(lease: Lease, plan: WorkPlan): Promise<WorkState>;
  find(lease: Lease): Promise<OpenWork | undefined>;
  /** Sets the slots of its assignments, by their places, and tells those who hold them. Those that are gone stay gone. */
  grant(lease: Lease, slots: readonly number[]): Promise<void>;
  /** Nothing more is claimed; what runs is finished and sealed. */
  drain(lease: Lease): Promise<void>;
  /** From then on nothing is sealed that was claimed of it. Does nothing when no work is open. */
  end(lease: Lease): Promise<void>;
  news(lease: Lease, epoch: number, afterClaim: number): Promise<WorkNews>;
  /** What is sealed of these steps, in any order. */
  sealed(lease: Lease, ranges: readonly OrdinalRange[]): Promise<readonly SealedUnit[]>;
};

/** A share of a run's concurrency, as it stands in the store. */
export type Assignment = {
  readonly owner: Owner;
  readonly runId: RunId;
  readonly runNo: number;
  readonly epoch: number;
  readonly place: number;
  readonly slots: number;
  readonly token: number;
  readonly environment?: Digest;
  /** Name of the process that holds it. */
  readonly holder?: string;
  /** The holder is no more. */
  readonly isLost: boolean;
  /** When it was taken, or let go of. */
  readonly since: number;
  /** Units are left to be claimed, or were claimed and not finished. */
  readonly hasUnits: boolean;
  /** Whether some of the units were sealed before the work was opened. */
  readonly hasSealed: boolean;
  readonly ceilingUsd?: number;
  readonly stop?: WorkStop;
  readonly control?: Control;
};

/** A process that may hold assignments. */
export type AssignmentHolder = { readonly name: string; readonly environment: Digest };

export type AssignmentList = {
  readonly assignments: readonly Assignment[];
  readonly holders: readonly AssignmentHolder[];
  /** The name of this process. */
  readonly own: string;
  /** By the clock that `since` goes by. */
  readonly now: number;
};

/** A claim that was not finished. */
export type OpenClaim = UnitRange & {
  /** How many of its holders were lost with it in a row. */
  readonly deaths: number;
  /** The last of its units that was executed alone. */
  readonly aloneUnit?: number;
};

/** A process that has not told for so long that it lives stands still, or its machine is gone: others take what it had. */
export const SILENT_MS = 10_000;

/** What is written in one transaction: sealed records, claims that are finished by them, and a wish for more units. */
export type AssignmentWrite = {
  readonly seals: readonly TaskRecord[];
  /** First units of the claims. */
  readonly finished: readonly number[];
  readonly more?: {
    readonly most: number;
    /** What it can begin at once. Near the end of the work it gets no more than that, so that others have something to do. */
    readonly least: number;
    /** Counts the wishes of a holder: one that is sent twice is granted once. */
    readonly serial: number;
  };
};

export type AssignmentAnswer = {
  /** Absent when nothing was asked for or granted. */
  readonly claim?: UnitRange;
  /** False when another process has the assignment. */
  readonly isHeld: boolean;
  /** Nothing is left to be claimed. */
  readonly isExhausted: boolean;
  readonly stop?: WorkStop;
  readonly control?: Control;
  readonly spentUsd: number;
};

/** Assignments of all runs, for the processes that execute them. Like `Leases` it looks across owners. */
export type Assignments = {
  list(): Promise<AssignmentList>;
  /** How many of those that have units no process holds, and how many units of all of them nobody has claimed, now. */
  waiting(): Promise<{ readonly assignments: number; readonly units: number }>;
  /** Takes it as it was listed, with what the last holder has not finished; undefined when another one was first. */
  take(
    assignment: Assignment,
  ): Promise<{ readonly assignment: Assignment; readonly claims: readonly OpenClaim[] } | undefined>;
  /** Rejects with WorkEnded, and then keeps none of the records. A unit that is sealed already keeps its first record. */
  write(assignment: Assignment, request: AssignmentWrite): Promise<AssignmentAnswer>;
  /** Units of these steps that are sealed. */
  sealedUnits(
    assignment: Assignment,
    range: OrdinalRange,
  ): Promise<readonly Pick<TaskRecord, 'ordinal' | 'repeat'>[]>;
  /** A unit of a claim, which is named by its first one, is executed alone from now on. */
  noteAlone(assignment: Assignment, claim: number, unit: number): Promise<void>;
  /** Takes back that this process was counted as lost with these claims, which are named by their first units: it lives. */
  returned(assignment: Assignment, claims: readonly number[]): Promise<void>;
  /** Nothing more is claimed of the work, for this reason. */
  stop(assignment: Assignment, why: WorkStop): Promise<void>;
  /** Lets go of it: for another process, or for good when nothing is left to do. */
  release(assignment: Assignment, isDone: boolean): Promise<void>;
  /** Tells other processes that there is something to look at. Not every process hears it: all look from time to time. */
  offer(runId: RunId): void;
  watchOffers(listener: (runId: RunId) => void): () => void;
};

/** Rejection of a seal: the work that it was claimed of has ended. */
export class WorkEnded extends Error {
  constructor(runId: RunId) {
    super(`The work of run ${runId} has ended; nothing more is sealed.`);
    this.name = 'WorkEnded';
  }
}
