import { HostError } from '@touchstone/protocol';
import { expect, test } from 'vitest';
import type { Run } from '../../../ports/index.js';
import { createFigures, type OutcomesReader } from './run-outcomes.js';

// Goal: a list completes older runs without reading a store as a whole. Method: runs without figures, and a reader that notes what it
// was asked for.

const FIGURES = { interval: [0.5, 0.9] } as const;
const completed = (runId: string, totalTasks: number, more: object = {}): Run =>
  ({ runId, status: 'completed', headline: {}, plan: { kind: 'eval', totalTasks }, ...more }) as never;

function readerOf(fails: readonly string[] = []) {
  const read: string[] = [];
  const outcomes: OutcomesReader = {
    async of({ runId }) {
      read.push(runId);
      if (fails.includes(runId)) throw new HostError('internal_error', 'Expected a log that adds up.');
      return { outcomes: '', figures: FIGURES };
    },
  };
  return { read, outcomes };
}

async function listed(outcomes: OutcomesReader, runs: readonly Run[]): Promise<readonly boolean[]> {
  const withFigures = createFigures(outcomes);
  const filled: boolean[] = [];
  for (const run of runs) filled.push((await withFigures(run)).figures !== undefined);
  return filled;
}

test('runs are completed until enough results have been read, and a large one when it is the first', async () => {
  const { outcomes, read } = readerOf();
  expect(await listed(outcomes, [completed('a', 15_000), completed('b', 15_000), completed('c', 1)])).toEqual(
    [true, true, false],
  );
  expect(await listed(outcomes, [completed('d', 100_000), completed('e', 1)])).toEqual([true, false]);
  expect(read).toEqual(['a', 'b', 'd']);
});

test('runs that have figures, are at work or are no evaluation cost nothing', async () => {
  const { outcomes, read } = readerOf();
  const runs = [
    completed('kept', 1, { figures: FIGURES }),
    completed('working', 1, { status: 'running' }),
    completed('other', 1, { plan: { kind: 'agent' } }),
  ];
  expect(await listed(outcomes, runs)).toEqual([true, false, false]);
  expect(read).toEqual([]);
});

test('a damaged run is listed without figures', async () => {
  const { outcomes } = readerOf(['damaged']);
  expect(await listed(outcomes, [completed('damaged', 1), completed('whole', 1)])).toEqual([false, true]);
});
