import { HostError, isTerminal, type Owner, type RunId, type RunStatus } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import type { Engine, ProgressListener, Run, RunChange, Store } from '../../ports/index.js';

export const append = (
  store: Store,
  owner: Owner,
  runId: RunId,
  events: readonly NewEvent[],
  status?: RunStatus,
): Promise<void> =>
  commit(
    store,
    owner,
    runId,
    events,
    status && { status, ...(isTerminal(status) ? { completedAt: 2_000 } : { startedAt: 1_000 }) },
  );

async function commit(
  store: Store,
  owner: Owner,
  runId: RunId,
  events: readonly NewEvent[],
  change?: RunChange,
): Promise<void> {
  const run = (await store.runs.get(owner, runId)) as Run;
  const lease = await store.leases.take(owner, runId, 60_000);
  if (!lease) throw new Error('The test could not take the lease.');
  await store.log.commit(lease, {
    entries: [{ kind: 'events', events }],
    firstSequence: run.eventCount,
    ...(change && { run: change }),
  });
  await store.leases.release(lease);
}

/** Obeys at once and drives nothing. */
export function createFakeEngine(store: Store, listeners: Set<ProgressListener>): Engine {
  const running = ['pending', 'running'] as const;
  const get = async (owner: Owner, runId: RunId) => (await store.runs.get(owner, runId)) as Run;
  return {
    drive: async () => undefined,
    interrupts: {
      approval: async () => undefined,
      find: async () => undefined,
      resolve: async () => Promise.reject(new HostError('interrupt_not_found', 'Nobody asks here.')),
    },
    adopt: async () => undefined,
    drives: () => true,
    load: { atWork: 0, takeovers: 0, assignments: 0 },
    drain: async () => undefined,
    shutdown: async () => undefined,
    watch(_, listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async cancel(owner, runId, by, reason) {
      const run = await get(owner, runId);
      if (run.status === 'cancelled') return run;
      if (isTerminal(run.status))
        throw new HostError('run_terminal', 'It is over.', { runStatus: run.status });
      const payload = { cancelledBy: by, ...(reason !== undefined && { reason }) };
      await append(store, owner, runId, [{ type: 'run.cancelled', at: 1, payload }], 'cancelled');
      return get(owner, runId);
    },
    async pause(owner, runId, by, drainPolicy) {
      const control = { kind: 'pause', by, drainPolicy } as const;
      const paused = await store.runs.request(owner, runId, {
        from: [...running],
        status: 'paused',
        control,
        pausedAt: 5_000,
      });
      if (!paused) throw new HostError('run_state_conflict', 'It cannot be paused.');
      const event: NewEvent = { type: 'run.paused', at: 5_000, payload: { drainPolicy } };
      await commit(store, owner, runId, [event], { control: null });
      return get(owner, runId);
    },
    async resume(owner, runId) {
      const resumed = await store.runs.request(owner, runId, {
        from: ['paused'],
        status: 'running',
        control: null,
      });
      if (!resumed) throw new HostError('run_state_conflict', 'It is not paused.');
      return resumed;
    },
  };
}
