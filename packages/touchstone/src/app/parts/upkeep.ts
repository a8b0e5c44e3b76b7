import { DEFAULT_LIMITS } from '../../engine/index.js';
import type { Engine } from '../../ports/index.js';
import { keepDoing } from '../fleet/keep-doing.js';
import type { FleetMember } from '../fleet/sharing.js';
import { startWork } from '../fleet/start-work.js';
import { startMaintenance } from '../maintenance.js';
import { startRetention } from '../retention/schedule.js';
import { dueCheckpoints } from './load-configured.js';
import type { Parts } from './parts.js';

/** What a host does by itself, as long as it is open. */
type Upkeep = {
  /** Ends what could begin something new. */
  stop(): Promise<void>;
  /** Gives up the work of this process, once its runs are at rest. */
  leave(): Promise<void>;
};

/** Looks for new tenants, maintains the store, removes what is old, and takes up work. The command line does none of it. */
export function startUpkeep(parts: Parts, engine: Engine, member: FleetMember | undefined): Upkeep {
  const { config, log, retention, tenants } = parts;
  if (parts.origin === 'cli') return { stop: retention.close, leave: async () => undefined };
  const unknownTenants = (error: unknown) => log.error('tenants.unknown', {}, error);
  const stopLooking = keepDoing(tenants.look, DEFAULT_LIMITS.leaseMs, unknownTenants);
  const stopMaintenance = startMaintenance({ ...parts, makeCheckpoints: dueCheckpoints(parts) });
  const leave = startWork({ ...parts, engine, member });
  const stopRetention = startRetention({ ...parts, rules: config.retention });
  const stop = async (): Promise<void> => {
    stopLooking();
    stopMaintenance();
    await stopRetention();
  };
  return { stop, leave };
}
