import { expect, it } from 'vitest';
import type { Run } from '../../ports/index.js';
import { createManualClock } from '../testing/manual-clock.js';
import type { DriveContext } from './drive-context.js';
import type { Stop } from './next-step.js';
import { watchClock } from './watching.js';

/** Sleepers wake a millisecond before their time, as timers do that round against another clock. */
function createEarlyClock() {
  const clock = createManualClock();
  const sleep: typeof clock.sleep = (ms, signal) => clock.sleep(ms > 1 ? ms - 1 : ms, signal);
  return { ...clock, sleep };
}

function watched(runTimeoutMs: number) {
  const clock = createEarlyClock();
  const over = new AbortController();
  const stops: Stop[] = [];
  const context = { parts: { clock }, over: over.signal, stop: (stop: Stop) => stops.push(stop) };
  const run = { plan: { runTimeoutMs }, startedAt: clock.now(), pausedMs: 0 };
  const watching = watchClock(context as unknown as DriveContext, run as unknown as Run);
  return { clock, over, stops, watching };
}

it('a run is out of time when the clock says so, not when a timer fires', async () => {
  const { clock, stops, watching } = watched(50);
  await clock.advance(49);
  expect(stops).toEqual([]);
  await clock.advance(1);
  await watching;
  expect(stops).toEqual([{ kind: 'timeout', limitMs: 50, observedMs: 50 }]);
});

it('a run that has ended is not stopped at its limit', async () => {
  const { clock, over, stops, watching } = watched(50);
  await clock.advance(49);
  over.abort();
  await watching;
  await clock.advance(10);
  expect(stops).toEqual([]);
});
