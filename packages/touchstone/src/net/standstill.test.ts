import { expect, it } from 'vitest';
import { createStandstill } from './standstill.js';

function start() {
  let now = 0;
  let tick = (): void => undefined;
  const stoodStillMs = createStandstill(
    () => now,
    (_, look) => {
      tick = look;
    },
  );
  stoodStillMs();
  const pass = (ms: number) => {
    now += ms;
  };
  return { stoodStillMs, pass, tick: () => tick() };
}

it('a process that looks late, but not very late, was busy', () => {
  const { stoodStillMs, pass, tick } = start();
  for (let turns = 0; turns < 10; turns += 1) {
    pass(1_400);
    tick();
  }
  expect(stoodStillMs()).toBe(0);
});

it('what a process stood still is known before its own timer is', () => {
  const { stoodStillMs, pass, tick } = start();
  pass(20_500);
  expect(stoodStillMs()).toBe(20_000);
  tick();
  pass(500);
  tick();
  expect(stoodStillMs()).toBe(20_000);
  pass(3_500);
  tick();
  expect(stoodStillMs()).toBe(23_000);
});
