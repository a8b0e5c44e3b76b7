import { expect, it } from 'vitest';
import { createBursts } from './bursts.js';
import { REAL_TIME } from './real-time.js';

/** Sleeps end when the test says so. */
function manualSleep() {
  const sleeping: { readonly ms: number; readonly wake: () => void }[] = [];
  return {
    sleeping,
    sleep: (ms: number) => new Promise<void>((wake) => sleeping.push({ ms, wake })),
    async next(): Promise<number | undefined> {
      const first = sleeping.shift();
      first?.wake();
      await new Promise((resolve) => setImmediate(resolve));
      return first?.ms;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('the first of a key is sent at once, what follows once when the pause is over, and what falls together in one piece', async () => {
  const clock = manualSleep();
  const sent: (readonly number[])[] = [];
  const bursts = createBursts<number>(
    clock,
    () => 50,
    (values) => sent.push(values),
  );
  bursts.add('a', 1);
  bursts.add('b', 2);
  bursts.add('a', 3);
  bursts.add('a', 4);
  await settled();
  expect(sent).toEqual([[1, 2]]);
  await clock.next();
  await clock.next();
  expect(sent).toEqual([[1, 2], [4]]);
  await clock.next();
  bursts.add('a', 5);
  await settled();
  expect(sent).toEqual([[1, 2], [4], [5]]);
});

it('after the end nothing is sent', async () => {
  const sent: unknown[] = [];
  const bursts = createBursts<number>(
    manualSleep(),
    () => 50,
    (values) => sent.push(values),
  );
  bursts.add('a', 1);
  bursts.close();
  bursts.add('b', 2);
  await settled();
  expect(sent).toEqual([]);
});

it('many keys at a time are no leak, and nothing is said of one', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  const bursts = createBursts<number>(
    REAL_TIME,
    () => 60_000,
    () => undefined,
  );
  for (let key = 0; key < 30; key += 1) bursts.add(`run-${key}`, key);
  await settled();
  bursts.close();
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
