import { type Digest, isHostError } from '@touchstone/protocol';
import { type Assignment, type OpenClaim, type Run, WorkEnded } from '../../ports/index.js';
import { openSpendMeter } from '../invoke/spend-meter.js';
import { openExecutor } from '../kinds/open.js';
import { taskSourceOf } from '../kinds/task-source.js';
import type { Parts } from '../parts.js';
import { type AssignmentWork, startAssignment } from './assignment-loop.js';
import { assignmentKey, nextShare } from './next-share.js';
import { isUnseen } from './presence.js';
import type { TurnsAlone } from './turns-alone.js';
import { unitNumbers } from './unit-numbers.js';

/** The assignments that this process executes, of whichever runs. */
export type AssignmentPool = {
  /** Looks what is asked of those it has, and takes or lets go of some. */
  look(): Promise<void>;
  readonly size: number;
  /** Takes no more, and lets go of each when what it has claimed is finished. */
  drain(): void;
  /** Lets go of all of them now. */
  leave(): void;
  /** Resolves when it has none. */
  done(): Promise<void>;
};

type ActiveAssignment = {
  readonly assignment: Assignment;
  /** That of this process when it was taken. */
  readonly presence: number | undefined;
  /** As they were found last. */
  slots: number;
  /** Absent while the agent is being opened. */
  work?: AssignmentWork;
  isLeaving: boolean;
};

/** How long a process leaves an assignment alone that it could not open. */
const PASSED_MS = 30_000;

export function createAssignmentPool(parts: Parts, environment: Digest, alone: TurnsAlone): AssignmentPool {
  const active = new Map<string, ActiveAssignment>();
  const passed = new Map<string, number>();
  const ended = new Set<Promise<void>>();
  let isClosing = false;
  let looking: Promise<void> | undefined;
  let isWanted = false;

  const hold = async (one: ActiveAssignment, claims: readonly OpenClaim[]): Promise<void> => {
    const key = assignmentKey(one.assignment);
    const hasExecuted = await execute(parts, alone, one, claims).catch((error) => {
      if (!(error instanceof WorkEnded))
        parts.log.error('assignment.failed', { runId: one.assignment.runId }, error);
      return false;
    });
    active.delete(key);
    if (!hasExecuted) passed.set(key, parts.clock.elapsed() + PASSED_MS);
    lookSoon();
  };
  const take = async (listed: Assignment): Promise<void> => {
    const presence = parts.sharing?.presence();
    const taken = await parts.store.assignments.take(listed);
    if (!taken) return;
    const { assignment, claims } = taken;
    const one: ActiveAssignment = { assignment, presence, slots: assignment.slots, isLeaving: isClosing };
    active.set(assignmentKey(listed), one);
    const done = hold(one, claims).finally(() => ended.delete(done));
    ended.add(done);
  };
  /** True when there may be more to do. */
  const step = async (): Promise<boolean> => {
    const presence = parts.sharing?.presence();
    const list = await parts.store.assignments.list();
    for (const [key, one] of active)
      obey(
        one,
        list.assignments.find((row) => assignmentKey(row) === key),
        presence,
      );
    const now = parts.clock.elapsed();
    for (const [key, until] of passed) if (until <= now) passed.delete(key);
    // What is taken while the others count this process as lost would be taken away.
    if (isClosing || isUnseen(parts.sharing)) return false;
    const keys = { active: new Set(active.keys()), passed: new Set(passed.keys()) };
    const next = nextShare({ ...list, environment, ...keys });
    if (next?.kind === 'take') await take(next.assignment);
    if (next?.kind === 'release') active.get(assignmentKey(next.assignment))?.work?.release();
    return next?.kind === 'take';
  };
  const lookOn = async (): Promise<void> => {
    do isWanted = false;
    while ((await step()) || isWanted);
  };
  const look = (): Promise<void> => {
    isWanted = true;
    looking ??= lookOn().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const lookSoon = (): void => {
    if (!isClosing) look().catch((error) => parts.log.error('assignments.unseen', {}, error));
  };
  return {
    look,
    get size() {
      return active.size;
    },
    drain() {
      isClosing = true;
      for (const one of active.values()) {
        one.isLeaving = true;
        one.work?.release();
      }
    },
    leave() {
      isClosing = true;
      for (const one of active.values()) {
        one.isLeaving = true;
        one.work?.leave();
      }
    },
    async done() {
      while (ended.size > 0 || looking) await Promise.all([...ended, looking?.catch(() => undefined)]);
    },
  };
}

/** The row of an assignment that is no longer there, or has another token, is of others. */
function obey(one: ActiveAssignment, row: Assignment | undefined, presence: number | undefined): void {
  const { assignment, work } = one;
  if (row?.token !== assignment.token) {
    work?.end();
    return;
  }
  one.slots = row.slots;
  work?.found(row.slots, presence);
  work?.obey(row);
}

/** False when the run cannot be executed here: then it is left to others. */
async function execute(
  parts: Parts,
  alone: TurnsAlone,
  one: ActiveAssignment,
  claims: readonly OpenClaim[],
): Promise<boolean> {
  const { presence } = one;
  const { owner, runId } = one.assignment;
  const giveBack = () => parts.store.assignments.release(one.assignment, false);
  const run = one.isLeaving ? undefined : await parts.store.runs.get(owner, runId);
  const opened = run && (await openFor(parts, run, one).catch(unlessUnable));
  if (!run || !opened || one.isLeaving) {
    await opened?.close();
    await giveBack();
    return one.isLeaving;
  }
  try {
    const numbers = unitNumbers(run.plan as Parameters<typeof unitNumbers>[0]);
    // The driver may have given it more while the agent was being opened.
    const assignment = { ...one.assignment, slots: one.slots };
    const context = { parts, run, assignment, claims, presence, numbers, executor: opened, alone };
    one.work = startAssignment(context);
    await one.work.done;
  } finally {
    await opened.close();
  }
  return true;
}

async function openFor(parts: Parts, run: Run, one: ActiveAssignment) {
  const { owner, runId, ceilingUsd } = one.assignment;
  const meter = await openSpendMeter(parts.store, owner, runId, parts, (spentUsd) => {
    if (ceilingUsd !== undefined && spentUsd >= ceilingUsd) one.work?.obey({ stop: 'drain' });
  });
  return openExecutor(parts, run, meter, taskSourceOf(parts, run));
}

/** What this process lacks, another one may have. */
function unlessUnable(error: unknown): undefined {
  if (isHostError(error) && (error.code === 'not_found' || error.code === 'conflict')) return undefined;
  throw error;
}
