import { expect, it, vi } from 'vitest';
import type { Clock } from '../../ports/index.js';
import { createServerClock } from './server-clock.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

function open(skewMs: number) {
  let elapsed = 0;
  const clock: Clock = { now: () => 1_000_000, elapsed: () => elapsed, sleep: async () => undefined };
  const server = { aheadMs: skewMs, asked: 0 };
  const all = async () => {
    server.asked += 1;
    return [{ now_ms: Date.now() + server.aheadMs }];
  };
  const onSkew = vi.fn();
  const leases = createServerClock({ clock, db: { all }, skewMs, onSkew });
  const pass = async (ms: number): Promise<void> => {
    elapsed += ms;
    leases.measure();
    await settled();
  };
  return { leases, server, onSkew, pass };
}

it('leases go by the clock of the server, also after it has been set while the process runs', async () => {
  const { leases, server, onSkew, pass } = open(5_000);
  expect(leases.now()).toBe(1_005_000);
  expect(onSkew).toHaveBeenCalledTimes(1);
  server.aheadMs = -20_000;
  await pass(10_000);
  expect(leases.now()).toBeGreaterThan(979_000);
  expect(leases.now()).toBeLessThan(981_000);
  expect(onSkew).toHaveBeenCalledTimes(2);
  server.aheadMs = 3;
  await pass(10_000);
  expect(leases.now()).toBe(1_000_000);
});

it('it is asked every ten seconds at most, however many leases are renewed', async () => {
  const { server, pass } = open(0);
  for (let i = 0; i < 50; i += 1) await pass(1_000);
  expect(server.asked).toBe(5);
});
