import type { Clock, Log, Store } from '../ports/index.js';
import { keepDoing } from './fleet/keep-doing.js';

const EVERY_MS = 60_000;

type MaintenanceParts = {
  readonly store: Pick<Store, 'maintains' | 'idempotency'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
};

/** Clears what has expired, away from the path of requests; of several processes on a store one does. */
export function startMaintenance({ store, clock, log }: MaintenanceParts): () => void {
  const maintain = async (): Promise<void> => {
    if (await store.maintains()) await store.idempotency.sweep(clock.now());
  };
  return keepDoing(maintain, EVERY_MS, (error) => log.error('maintenance.failed', {}, error));
}
