import { HostError } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { DriveContext } from './drive-context.js';
import { keepLease, watchStorage } from './watching.js';

const LEASE_MS = 3_000;
const away = new HostError('unavailable', 'The store cannot be used: it is away.');

/** A drive whose renewals have these outcomes, and which is over after the last one. Each pause passes at once. */
function createDrive(renewals: readonly (boolean | Error)[]) {
  const over = new AbortController();
  const left = [...renewals];
  const seen = { renewals: 0, left: false, logged: 0 };
  let ms = 0;
  const renew = async (): Promise<boolean> => {
    const outcome = left.shift();
    seen.renewals += 1;
    if (left.length === 0) over.abort();
    if (outcome instanceof Error) throw outcome;
    return outcome ?? true;
  };
  const clock = {
    elapsed: () => ms,
    async sleep(pauseMs: number, signal: AbortSignal) {
      signal.throwIfAborted();
      ms += pauseMs;
    },
  };
  const log = {
    error() {
      seen.logged += 1;
    },
  };
  const store = { leases: { renew }, runs: { get: async () => undefined } };
  const state = { heldUntil: 0, wake: () => undefined };
  const context = {
    state,
    parts: { clock, log, store, limits: { leaseMs: LEASE_MS } },
    lease: { runId: 'r', owner: { tenant: 't', workspace: 'w' } },
    over: over.signal,
    leave() {
      seen.left = true;
    },
    stop: () => undefined,
  } as unknown as DriveContext;
  return { context, seen, state };
}

it('a lease is ours for certain as long as it was asked for, counted from the last renewal that worked', async () => {
  const { context, state } = createDrive([true, away, away]);
  await keepLease(context);
  // The first look is after a third of the lease.
  expect(state.heldUntil).toBe(LEASE_MS / 3 + LEASE_MS);
});

it('a lease that cannot be renewed for a while is renewed when the store is back, and the log says so once', async () => {
  const { context, seen } = createDrive([true, away, away, away, true, true]);
  await keepLease(context);
  expect(seen).toEqual({ renewals: 6, left: false, logged: 1 });
});

it('a lease that another driver has taken is left at once', async () => {
  const { context, seen } = createDrive([true, false, true]);
  await keepLease(context);
  expect(seen).toEqual({ renewals: 2, left: true, logged: 0 });
});

it('a store that cannot be asked for a while is asked again, so that a tenant without room is still stopped', async () => {
  const answers = [new Error('away'), new Error('away'), false, true];
  const { context, seen } = createDrive([]);
  const stops: unknown[] = [];
  const isStorageFull = async (): Promise<boolean> => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer === true;
  };
  await watchStorage({
    ...context,
    parts: { ...context.parts, isStorageFull },
    stop: (reason) => stops.push(reason),
  });
  expect({ stops, logged: seen.logged, answers }).toEqual({
    stops: [{ kind: 'storage' }],
    logged: 1,
    answers: [],
  });
});
