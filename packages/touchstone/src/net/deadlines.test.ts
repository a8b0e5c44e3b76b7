import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { manualClock } from '../agents/fixtures/manual-clock.js';
import { createDeadlines } from './deadlines.js';

function start() {
  const clock = manualClock();
  const deadlines = createDeadlines(clock, 100);
  const expired: string[] = [];
  const begin = (name: string) => deadlines.start(() => expired.push(name));
  const pass = async (ms: number) => {
    clock.advance(ms);
    await setImmediate();
  };
  return { deadlines, expired, begin, pass };
}

it('each deadline expires at its own time, unless it was stopped', async () => {
  const { deadlines, expired, begin, pass } = start();
  begin('a');
  await pass(40);
  const stopped = begin('b');
  await pass(20);
  begin('c');
  deadlines.stop(stopped);
  await pass(40);
  expect(expired).toEqual(['a']);
  await pass(59);
  expect(expired).toEqual(['a']);
  await pass(1);
  expect(expired).toEqual(['a', 'c']);
});

it('a pause does not count, and one that outlives its deadline changes nothing', async () => {
  const { deadlines, expired, begin, pass } = start();
  const paused = begin('paused');
  const over = begin('over');
  await pass(60);
  const resume = deadlines.pause(paused);
  const resumeTooLate = deadlines.pause(over);
  await pass(1_000);
  begin('later');
  resume();
  deadlines.stop(over);
  resumeTooLate();
  await pass(39);
  expect(expired).toEqual([]);
  await pass(1);
  expect(expired).toEqual(['paused']);
  await pass(60);
  expect(expired).toEqual(['paused', 'later']);
});

it('time in which the process stood still does not count, before a pause or after it', async () => {
  const clock = manualClock();
  let stoodStillMs = 0;
  const deadlines = createDeadlines({ ...clock, stoodStillMs: () => stoodStillMs }, 100);
  const expired: string[] = [];
  const standStill = async (ms: number) => {
    stoodStillMs += ms;
    clock.advance(ms);
    await setImmediate();
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await setImmediate();
  };
  deadlines.start(() => expired.push('a'));
  const paused = deadlines.start(() => expired.push('b'));
  await pass(50);
  await standStill(5_000);
  deadlines.pause(paused)();
  await pass(49);
  expect(expired).toEqual([]);
  await standStill(5_000);
  expect(expired).toEqual([]);
  await pass(1);
  expect(expired).toEqual(['a', 'b']);
});
