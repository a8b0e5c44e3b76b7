import { asId, type RunId } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../app/testing/manual-clock.js';
import { createWakeups, listening } from './wakeups.js';

const RUN = asId<RunId>('run-1');

function setUp() {
  const listeners = new Set<() => void>();
  const clock = createManualClock();
  const log = {
    watch(_: RunId, listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const commit = () => {
    for (const listener of [...listeners]) listener();
  };
  return { wakeups: createWakeups(log, clock), clock, commit, listeners };
}
const woken = (promise: Promise<void>): Promise<boolean> =>
  Promise.race([
    promise.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ]);

describe('a reader', () => {
  it('wakes at a commit', async () => {
    const { wakeups, commit } = setUp();
    const next = wakeups.open(RUN).next();
    expect(await woken(next)).toBe(false);
    commit();
    expect(await woken(next)).toBe(true);
  });

  it('that was busy during a commit does not sleep through it', async () => {
    const { wakeups, commit } = setUp();
    const reader = wakeups.open(RUN);
    commit();
    expect(await woken(reader.next())).toBe(true);
    expect(await woken(reader.next())).toBe(false);
  });

  it('looks again every second, for the commits of other processes', async () => {
    const { wakeups, clock } = setUp();
    const reader = wakeups.open(RUN);
    for (let second = 0; second < 3; second += 1) {
      const next = reader.next();
      expect(await woken(next)).toBe(false);
      await clock.advance(1_000);
      expect(await woken(next)).toBe(true);
    }
  });

  it('can wait less long than that, and leaves no timer behind', async () => {
    const { wakeups, clock, commit } = setUp();
    const reader = wakeups.open(RUN);
    const short = reader.next(10);
    await clock.advance(10);
    expect(await woken(short)).toBe(true);
    const long = reader.next(500);
    commit();
    expect(await woken(long)).toBe(true);
    expect(clock.sleeping).toBe(1);
  });

  it('wakes for good when it is closed', async () => {
    const { wakeups } = setUp();
    const reader = wakeups.open(RUN);
    const next = reader.next();
    reader.close();
    expect(await woken(next)).toBe(true);
    expect(await woken(reader.next())).toBe(true);
  });
});

it('two hundred readers share one subscription and one timer, and leave nothing behind', async () => {
  const { wakeups, clock, listeners } = setUp();
  const readers = Array.from({ length: 200 }, () => wakeups.open(RUN));
  const waiting = readers.map((reader) => reader.next());
  expect([listeners.size, clock.sleeping, wakeups.size]).toEqual([1, 1, 1]);
  for (const reader of readers) {
    reader.close();
    reader.close();
  }
  await Promise.all(waiting);
  expect([listeners.size, clock.sleeping, wakeups.size]).toEqual([0, 0, 0]);
});

it('listening ends with its signal and cleans up when its user throws', async () => {
  const { wakeups, listeners } = setUp();
  const gone = new AbortController();
  const ended = listening(wakeups, RUN, gone.signal, (wakeup) => wakeup.next());
  gone.abort();
  await ended;
  await expect(listening(wakeups, RUN, gone.signal, () => Promise.reject(new Error('no')))).rejects.toThrow(
    'no',
  );
  expect(listeners.size).toBe(0);
});
