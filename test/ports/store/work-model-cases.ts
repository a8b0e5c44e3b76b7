import fc from 'fast-check';
import { expect, it } from 'vitest';
import type {
  Assignment,
  Lease,
  LogEntry,
  Run,
  Store,
} from '../../../packages/touchstone/src/ports/index.js';
import { ACME, leasedRun, record, step, takeLease } from './givens.js';

/** What may happen next: who does it, and how much of it. */
type Move = {
  readonly what:
    | 'take'
    | 'claim'
    | 'seal'
    | 'die'
    | 'late'
    | 'give-back'
    | 'append'
    | 'own'
    | 'driver'
    | 'pause'
    | 'abort';
  readonly who: number;
  readonly amount: number;
};

const move = fc.record({
  what: fc.constantFrom<Move['what']>(
    ...(['take', 'take', 'claim', 'claim', 'seal', 'seal', 'seal'] as const),
    ...(['die', 'late', 'give-back', 'append', 'own', 'driver', 'pause', 'abort'] as const),
  ),
  who: fc.nat({ max: 2 }),
  amount: fc.integer({ min: 1, max: 4 }),
});
const histories = fc.record({
  steps: fc.integer({ min: 1, max: 9 }),
  /** Units that a driver keeps for itself when it opens the work. */
  kept: fc.nat({ max: 5 }),
  repeats: fc.integer({ min: 1, max: 2 }),
  moves: fc.array(move, { maxLength: 60 }),
});

/** A claim and those of its units that are not sealed. */
type ClaimCopy = { readonly first: number; readonly left: Set<number> };
type Process = { assignment: Assignment; claims: ClaimCopy[]; serial: number };

/**
 * Whatever happens between claims and seals, in whatever order: the log is that of the plan, and no unit is handed out that
 * was sealed before.
 */
export function workModelCases(open: () => Promise<Store>): void {
  it('any interleaving of claims, seals, deaths, pauses and resumes gives the log of the plan', async () => {
    const store = await open();
    let runs = 0;
    const property = fc.asyncProperty(histories, async ({ steps, repeats, kept, moves }) => {
      runs += 1;
      const { run, lease } = await leasedRun(store, `work-${runs}`);
      const play = createPlay(store, run, lease, { steps, repeats, kept });
      await play.reopen();
      for (const one of moves) await play.make(one);
      await play.finish();
      expect(await store.log.appended(ACME, run.runId)).toEqual(Array.from({ length: steps }, (_, i) => i));
      for (let ordinal = 0; ordinal < steps; ordinal += 1)
        expect(await store.log.records(ACME, run.runId, ordinal)).toHaveLength(repeats);
      expect(await store.log.pending(ACME, run.runId)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 60 });
  });
}

type Shape = { readonly steps: number; readonly repeats: number; readonly kept: number };

function createPlay(store: Store, run: Run, first: Lease, { steps, repeats, kept }: Shape) {
  let lease = first;
  let epoch = 0;
  let sequence = 0;
  let lastClaim = -1;
  /** Units before it are the driver's. */
  let firstUnit = 0;
  const units = steps * repeats;
  const processes: (Process | undefined)[] = [undefined, undefined, undefined];
  let dead: Process[] = [];
  /** As the driver knows it. */
  let sealed = new Set<number>();
  const inLog = new Set<number>();
  const unitOf = ({ ordinal, repeat }: { ordinal: number; repeat: number }) => ordinal * repeats + repeat;
  const recordOf = (unit: number) => record(Math.floor(unit / repeats), unit % repeats);
  const ordinalsOf = (from: number, count: number) =>
    [Math.floor(from / repeats), Math.floor((from + count - 1) / repeats)] as const;
  const readSealed = async () => new Set((await store.work.sealed(lease, [[0, steps]])).map(unitOf));

  const reopen = async (): Promise<void> => {
    await store.leases.release(lease);
    lease = await takeLease(store, run);
    sealed = await readSealed();
    let next = 0;
    while (next < units && sealed.has(next)) next += 1;
    const found = await store.work.find(lease);
    // Work that was drained begins anew.
    firstUnit = found && found.stop !== 'drain' ? found.firstUnit : Math.min(units, next + kept);
    const hasSealed = [...sealed].some((unit) => unit >= firstUnit);
    epoch = (await store.work.open(lease, { firstUnit, units, hasSealed, slots: [2, 2] })).epoch;
    lastClaim = -1;
  };
  const takeUp = async (who: number): Promise<void> => {
    const { assignments } = await store.assignments.list();
    const ours = assignments.filter(({ runId }) => runId === run.runId);
    const isDead = (one: Assignment) =>
      dead.some(({ assignment }) => assignment.token === one.token && assignment.place === one.place);
    const free = ours.find((one) => one.holder === undefined || isDead(one));
    const found = free && (await store.assignments.take({ ...free, isLost: free.holder !== undefined }));
    if (!found) return;
    const mine: Process = { assignment: found.assignment, claims: [], serial: 0 };
    for (const { first: from, count } of found.claims) mine.claims.push(await heldOf(mine, from, count));
    processes[who] = mine;
  };
  const heldOf = async ({ assignment }: Process, from: number, count: number): Promise<ClaimCopy> => {
    const known = new Set(
      (await store.assignments.sealedUnits(assignment, ordinalsOf(from, count))).map(unitOf),
    );
    const all = Array.from({ length: count }, (_, i) => from + i);
    return { first: from, left: new Set(all.filter((unit) => !known.has(unit))) };
  };
  const write = async (who: number, seals: readonly number[], most: number): Promise<void> => {
    const mine = processes[who] as Process;
    for (const unit of seals) for (const { left } of mine.claims) left.delete(unit);
    const finished = mine.claims.filter(({ left }) => left.size === 0).map((one) => one.first);
    mine.claims = mine.claims.filter(({ left }) => left.size > 0);
    mine.serial += 1;
    const answer = await store.assignments
      .write(mine.assignment, {
        seals: seals.map(recordOf),
        finished,
        ...(most > 0 && { more: { most, least: 1, serial: mine.serial } }),
      })
      .catch((error: Error) => {
        expect(error.name).toBe('WorkEnded');
        return undefined;
      });
    if (!answer) processes[who] = undefined;
    if (!answer?.claim) return;
    const { first: from, count } = answer.claim;
    const held = await heldOf(mine, from, count);
    if (!mine.assignment.hasSealed) expect(held.left.size).toBe(count);
    mine.claims.push(held);
  };
  /** Reads claims and what is sealed of them, and appends what stands next. */
  const append = async (): Promise<void> => {
    const { claims } = await store.work.news(lease, epoch, lastClaim);
    lastClaim = claims.at(-1)?.first ?? lastClaim;
    for (const unit of await readSealed()) sealed.add(unit);
    const entries: LogEntry[] = [];
    for (let ordinal = 0; ordinal < steps; ordinal += 1) {
      const all = Array.from({ length: repeats }, (_, i) => sealed.has(ordinal * repeats + i));
      if (!all.every(Boolean)) break;
      if (!inLog.has(ordinal)) entries.push(step(ordinal, 2 * repeats, repeats));
      inLog.add(ordinal);
    }
    if (entries.length === 0) return;
    await store.log.append(lease, { entries, firstSequence: sequence });
    sequence += entries.length * (2 * repeats + 1);
  };
  /** The driver seals some of its own units. They stand in the log when it appends. */
  const sealOwn = async (amount: number): Promise<void> => {
    const own = Array.from({ length: firstUnit }, (_, unit) => unit).filter((unit) => !sealed.has(unit));
    const seals = own.slice(0, amount).map(recordOf);
    await store.log.commit(lease, { seals, entries: [], firstSequence: sequence });
    for (const one of own.slice(0, amount)) sealed.add(one);
  };
  const pause = async (isDrained: boolean): Promise<void> => {
    if (isDrained) await store.work.drain(lease);
    for (const [who, mine] of processes.entries()) {
      if (mine && isDrained) await store.assignments.release(mine.assignment, false);
      if (isDrained) processes[who] = undefined;
    }
    await store.work.end(lease);
    dead = [];
    await append();
    await reopen();
  };
  const readyUnits = (who: number) => (processes[who]?.claims ?? []).flatMap(({ left }) => [...left]);
  const moves: { readonly [what in Move['what']]: (who: number, amount: number) => Promise<void> } = {
    take: async (who) => (processes[who] ? undefined : takeUp(who)),
    claim: async (who, amount) => (processes[who] ? write(who, [], amount) : undefined),
    // From the end, so that seals come in another order than claims.
    seal: async (who, amount) => (processes[who] ? write(who, readyUnits(who).slice(-amount), 0) : undefined),
    async die(who) {
      const mine = processes[who];
      processes[who] = undefined;
      if (mine) dead.push(mine);
    },
    /** A process that was taken for dead goes on. */
    async late(who, amount) {
      const [one] = dead;
      if (!one) return;
      const was = processes[who];
      processes[who] = one;
      await write(who, readyUnits(who).slice(0, amount), 1);
      processes[who] = was;
    },
    async 'give-back'(who) {
      const mine = processes[who];
      processes[who] = undefined;
      if (mine) await store.assignments.release(mine.assignment, false);
    },
    append,
    own: (_, amount) => sealOwn(amount),
    driver: reopen,
    pause: () => pause(true),
    abort: () => pause(false),
  };
  return {
    reopen,
    make: ({ what, who, amount }: Move) => moves[what](who, amount),
    /** Those who are left do the rest. */
    async finish(): Promise<void> {
      for (let round = 0; inLog.size < steps && round < 200; round += 1) {
        const who = round % 3;
        if (!processes[who]) await takeUp(who);
        if (processes[who]) await write(who, readyUnits(who), 3);
        await sealOwn(3);
        await append();
      }
      await store.work.end(lease);
    },
  };
}
