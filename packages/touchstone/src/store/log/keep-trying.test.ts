import { expect, it } from 'vitest';
import type { Clock } from '../../ports/index.js';
import { GuardFailed, OutcomeUnknown, StoreAway } from '../db.js';
import { keepTrying, writeOnce } from './keep-trying.js';

function createClock(): Clock {
  let ms = 0;
  return {
    now: () => ms,
    elapsed: () => ms,
    async sleep(pauseMs) {
      ms += pauseMs;
    },
  };
}

const failing = (...errors: readonly Error[]) => {
  const left = [...errors];
  const write = async () => {
    write.calls += 1;
    const error = left.shift();
    if (error) throw error;
  };
  write.calls = 0;
  return write;
};
const away = new StoreAway('away', undefined);
const unknown = new OutcomeUnknown(undefined);

it('what a database could not be sent is sent until it is back', async () => {
  const write = failing(away, away);
  await keepTrying(createClock(), write);
  expect(write.calls).toBe(3);
});

it('a write that was never confirmed is not made again when it has taken effect, and is when it has not', async () => {
  for (const [isWritten, calls] of [
    [true, 1],
    [false, 2],
  ] as const) {
    const write = failing(unknown);
    await writeOnce(createClock(), write, async () => isWritten);
    expect(write.calls).toBe(calls);
  }
});

it('a write that takes effect only while the next one waits for it is not an error', async () => {
  const write = failing(unknown, new GuardFailed(0));
  const looks = [false, true];
  await writeOnce(createClock(), write, async () => looks.shift() as boolean);
  expect([write.calls, looks]).toEqual([2, []]);
});

it('a guard that fails at the first try is an error, whatever is stored', async () => {
  const failed = new GuardFailed(0);
  await expect(writeOnce(createClock(), failing(failed), async () => true)).rejects.toBe(failed);
});

it('what the database could not answer is asked again four times a second', async () => {
  const clock = createClock();
  const read = failing(unknown, away);
  await keepTrying(clock, read);
  expect([read.calls, clock.elapsed()]).toEqual([3, 500]);
});

it('after a minute the caller is told, and other errors at once', async () => {
  const clock = createClock();
  await expect(keepTrying(clock, failing(...new Array(1_000).fill(away)))).rejects.toBe(away);
  expect(clock.elapsed()).toBe(60_000);
  const broken = new Error('broken');
  await expect(keepTrying(clock, failing(broken))).rejects.toBe(broken);
});
