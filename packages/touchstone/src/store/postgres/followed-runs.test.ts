import { expect, it } from 'vitest';
import { createFollowedRuns } from './followed-runs.js';

function open() {
  let now = 0;
  const waking: (() => void)[] = [];
  const sleep = () => new Promise<void>((resolve) => waking.push(resolve));
  const told: string[] = [];
  const runs = createFollowedRuns({ elapsed: () => now, sleep }, (runId) => told.push(runId));
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    for (const wake of waking.splice(0)) wake();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { runs, told, pass };
}

it('the others are told of a run with the first of its readers, and again while one is left', async () => {
  const { runs, told, pass } = open();
  const ends = [runs.follow('r'), runs.follow('r')];
  expect(told).toEqual(['r']);
  await pass(5_000);
  expect(told).toEqual(['r', 'r']);
  for (const end of ends) end();
  await pass(5_000);
  expect(told).toEqual(['r', 'r']);
  runs.follow('r');
  await pass(5_000);
  expect(told).toEqual(['r', 'r', 'r', 'r']);
});

it('a run that another process follows is forgotten when nothing is heard of it', async () => {
  const { runs, pass } = open();
  runs.heard('r');
  await pass(11_000);
  expect(runs.has('r')).toBe(true);
  await pass(2_000);
  expect(runs.has('r')).toBe(false);
});
