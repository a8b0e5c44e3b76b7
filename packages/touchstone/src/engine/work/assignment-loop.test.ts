import { expect, it } from 'vitest';
import type { AssignmentWrite, OpenClaim } from '../../ports/index.js';
import { UNSHARED } from '../../ports/index.js';
import { startAssignment } from './assignment-loop.js';
import type { AssignmentContext } from './assignment-state.js';

type Unit = { readonly ordinal: number; readonly repeat: number };

/** An assignment of one slot whose claims another process had before, and a store that answers at once. */
function taken(claims: readonly OpenClaim[], execute: (unit: Unit) => void) {
  const sealed: Unit[] = [];
  const written: AssignmentWrite[] = [];
  const returned: number[] = [];
  const assignments = {
    sealedUnits: async (_: unknown, [first, last]: readonly [number, number]) =>
      sealed.filter(({ ordinal }) => ordinal >= first && ordinal <= last),
    noteAlone: async () => undefined,
    write: async (_: unknown, request: AssignmentWrite) => {
      written.push(request);
      return { isHeld: true, isExhausted: true, spentUsd: 0 };
    },
    release: async () => undefined,
    returned: async (_: unknown, claims: readonly number[]) => void returned.push(...claims),
  };
  const clock = { elapsed: () => 0, sleep: async () => undefined };
  const tasks = { enter: () => () => undefined };
  const context = {
    parts: { store: { assignments }, clock, shares: UNSHARED, slots: { tasks }, limits: {} },
    run: { owner: { tenant: 'acme' }, runId: 'r' },
    assignment: { slots: 1, hasSealed: true },
    claims,
    presence: 1,
    numbers: {
      unitAt: (number: number) => ({ position: number, ordinal: number, repeat: 0 }),
      stepsOf: ({ first, count }: { first: number; count: number }) => [first, first + count - 1] as const,
    },
    executor: {
      execute: async (unit: Unit) => {
        execute(unit);
        return { record: { ordinal: unit.ordinal, repeat: unit.repeat } };
      },
    },
    alone: { enter: async () => () => undefined },
  };
  return { sealed, written, returned, work: startAssignment(context as unknown as AssignmentContext) };
}

it.each([
  ['one', 1],
  ['two', 2],
])(
  'what a process seals after it was taken for lost is not executed again, after %s losses',
  async (_, deaths) => {
    const executed: number[] = [];
    const { sealed, written, work } = taken([{ first: 0, count: 3, deaths }], ({ ordinal }) => {
      executed.push(ordinal);
      // The former holder goes on, and is on disk first.
      if (ordinal === 0) sealed.push({ ordinal: 1, repeat: 0 }, { ordinal: 2, repeat: 0 });
    });
    await work.done;
    expect(executed).toEqual([0]);
    expect(written.flatMap(({ seals }) => seals.map(({ ordinal }) => ordinal))).toEqual([0]);
    expect(written.flatMap(({ finished }) => finished)).toEqual([0]);
  },
);

it('a process that finds its assignment with another one tells that no task has ended it', async () => {
  let isEnded = false;
  const { returned, work } = taken(
    [
      { first: 0, count: 1, deaths: 0 },
      { first: 1, count: 2, deaths: 0 },
    ],
    ({ ordinal }) => {
      if (ordinal !== 1 || isEnded) return;
      isEnded = true;
      work.end();
    },
  );
  await work.done;
  expect(returned).toEqual([1]);
});

it('a process that lets go of its assignment tells nothing', async () => {
  const { returned, work } = taken([{ first: 0, count: 3, deaths: 1 }], () => work.release());
  await work.done;
  expect(returned).toEqual([]);
});
