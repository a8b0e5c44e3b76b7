import { expect, it } from 'vitest';
import type { Store } from '../../packages/touchstone/src/ports/index.js';
import { createMemoryStore, withRecentResults } from '../../packages/touchstone/src/store/index.js';
import { ACME, commitSteps, endingCommit, leasedRun, runIdOf, testClock } from './store/givens.js';

const RUN = runIdOf('r1');
const ORDINALS = [0, 1, 2, 3, 4];

/** A store that keeps the results of so many tasks, the one below it, and how often that one was asked for results. */
async function openBoth(most: number) {
  const below = await createMemoryStore(testClock());
  const asked: number[] = [];
  const counted: Store = {
    ...below,
    log: {
      ...below.log,
      results: (owner, runId, offset, limit) => {
        asked.push(offset);
        return below.log.results(owner, runId, offset, limit);
      },
    },
  };
  return { below, asked, above: withRecentResults(counted, most) };
}

async function expectSamePages(above: Store, below: Store): Promise<void> {
  for (const limit of [1, 2, 5, 9])
    for (let offset = 0; offset <= 6; offset += 1)
      expect(await above.log.results(ACME, RUN, offset, limit)).toStrictEqual(
        await below.log.results(ACME, RUN, offset, limit),
      );
}

it('results of a run that was driven here to its end are not read back, and are the ones that are stored', async () => {
  const { above, below, asked } = await openBoth(5);
  const { lease } = await leasedRun(above, 'r1');
  const end = await commitSteps(above, lease, ORDINALS);
  await above.log.commit(lease, endingCommit(end));
  await expectSamePages(above, below);
  expect(asked).toEqual([]);
});

it('what a run that goes on has not appended yet is asked for', async () => {
  const { above, below, asked } = await openBoth(5);
  const { lease } = await leasedRun(above, 'r1');
  await commitSteps(above, lease, ORDINALS);
  expect(await above.log.results(ACME, RUN, 3, 2)).toHaveLength(2);
  expect(asked).toEqual([]);
  expect(await above.log.results(ACME, RUN, 3, 3)).toHaveLength(2);
  expect(asked).toEqual([3]);
  await expectSamePages(above, below);
});

it('a longer run is read, and so is one that another driver began', async () => {
  const { above, below, asked } = await openBoth(4);
  const { lease } = await leasedRun(above, 'r1');
  const end = await commitSteps(above, lease, ORDINALS);
  await above.log.commit(lease, endingCommit(end));
  await expectSamePages(above, below);
  expect(asked.length).toBeGreaterThan(0);

  const other = await openBoth(9);
  const begun = await leasedRun(other.below, 'r1');
  const middle = await commitSteps(other.below, begun.lease, ORDINALS);
  await other.above.log.commit(begun.lease, endingCommit(middle));
  await expectSamePages(other.above, other.below);
  expect(other.asked.length).toBeGreaterThan(0);
});

it('a commit that is refused is not kept', async () => {
  const { above, below } = await openBoth(9);
  const { lease } = await leasedRun(above, 'r1');
  const end = await commitSteps(above, lease, ORDINALS);
  await expect(above.log.commit({ ...lease, token: lease.token + 1 }, endingCommit(end))).rejects.toThrow();
  await expect(above.log.commit(lease, endingCommit(end + 1))).rejects.toThrow();
  await expectSamePages(above, below);
  await above.log.commit(lease, endingCommit(end));
  await expectSamePages(above, below);
});

it('another owner is told nothing', async () => {
  const { above } = await openBoth(9);
  const { lease } = await leasedRun(above, 'r1');
  const end = await commitSteps(above, lease, ORDINALS);
  await above.log.commit(lease, endingCommit(end));
  expect(await above.log.results({ ...ACME, workspace: 'lab' }, RUN, 0, 9)).toEqual([]);
  expect(await above.log.results({ ...ACME, tenant: 'globex' }, RUN, 0, 9)).toEqual([]);
});
