import type { Clock, Log, Store } from '../ports/index.js';
import { keepDoing } from './fleet/keep-doing.js';

const EVERY_MS = 60_000;

type MaintenanceParts = {
  readonly store: Pick<Store, 'maintains' | 'idempotency' | 'workers' | 'paces'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** Signs audit logs that have grown enough; absent when the operator wants none. */
  readonly makeCheckpoints?: (() => Promise<unknown>) | undefined;
};

/** Clears what has expired, away from the path of requests; of several processes on a store one does. */
export function startMaintenance({ store, clock, log, makeCheckpoints }: MaintenanceParts): () => void {
  const maintain = async (): Promise<void> => {
    if (!(await store.maintains())) return;
    await store.idempotency.sweep(clock.now());
    await store.workers.sweep();
    await store.paces.sweep();
    await makeCheckpoints?.();
  };
  return keepDoing(maintain, EVERY_MS, (error) => log.error('maintenance.failed', {}, error));
}
