import { DEFAULT_LIMITS } from '../../engine/index.js';
import type { Engine, Log, Store } from '../../ports/index.js';
import { keepDoing } from './keep-doing.js';
import type { FleetMember } from './sharing.js';

type WorkParts = {
  readonly store: Pick<Store, 'leases'>;
  readonly log: Log;
  readonly version: string;
  readonly role: { readonly works: boolean };
  readonly engine: Engine;
  /** Absent where one process has all runs to itself. */
  readonly member: FleetMember | undefined;
};

/** Processes that share runs look every second, which is how soon the death of one is noticed. */
const SHARED_LOOK_MS = 1_000;

/**
 * Takes up runs without a driver, as long as the host works: now, when one is offered, and every so often. Returns the function
 * that ends it.
 */
export function startWork({ store, log, version, role, engine, member }: WorkParts): () => Promise<void> {
  if (!role.works) return async () => undefined;
  // The next regular look tells what is in the way.
  const look = (): void => void engine.adopt().catch(() => undefined);
  const unwatch = store.leases.watchOffers(look);
  const everyMs = member ? SHARED_LOOK_MS : DEFAULT_LIMITS.leaseMs;
  const stopLooking = keepDoing(engine.adopt, everyMs, (error) => log.error('adopt.failed', {}, error));
  const leave = member?.join(() => ({ version, atWork: engine.load.atWork }), look);
  return async () => {
    stopLooking();
    unwatch();
    await leave?.();
  };
}
