import { expect, it, vi } from 'vitest';
import type { Store } from '../ports/index.js';
import { startMaintenance } from './maintenance.js';

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

it.each([
  [true, 1],
  [false, 0],
])('what has expired is cleared by the process that maintains the store: %s', async (isOurs, times) => {
  const sweep = vi.fn(async () => undefined);
  let told: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    told = resolve;
  });
  const store = {
    idempotency: { sweep } as unknown as Store['idempotency'],
    paces: { sweep: async () => undefined } as unknown as Store['paces'],
    workers: { sweep: async () => undefined } as unknown as Store['workers'],
    maintains: async () => {
      setImmediate(told);
      return isOurs;
    },
  };
  const stop = startMaintenance({ store, clock: { now: () => 7 }, log: QUIET });
  await asked;
  stop();
  expect(sweep.mock.calls).toEqual(Array(times).fill([7]));
});
