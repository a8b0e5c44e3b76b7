import { expect, it } from 'vitest';
import { keepDoing } from './keep-doing.js';

const EVERY_MS = 60_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('tells of a failure', async () => {
  const told: unknown[] = [];
  const stop = keepDoing(
    () => Promise.reject('away'),
    EVERY_MS,
    (error) => told.push(error),
  );
  await settled();
  stop();
  expect(told).toEqual(['away']);
});

it('is silent about what was under way at its end', async () => {
  const told: unknown[] = [];
  let fail: (error: unknown) => void = () => undefined;
  const stop = keepDoing(
    () => new Promise((_, reject) => (fail = reject)),
    EVERY_MS,
    (error) => told.push(error),
  );
  stop();
  fail('closed');
  await settled();
  expect(told).toEqual([]);
});
