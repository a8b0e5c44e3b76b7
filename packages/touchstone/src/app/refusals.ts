import {
  type AuditEntry,
  asId,
  type Owner,
  type Principal,
  type PrincipalId,
  type ResourceName,
  type ScopeName,
  timestampOf,
} from '@touchstone/protocol';
import type { Audit, Clock, Log } from '../ports/index.js';
import type { LimitCounts } from './limit-counts.js';
import { createRateLimiter } from './rate-limiter.js';

/**
 * Which refusals get a record of their own in the audit log. Nobody can take records out of that log again, so a caller who may
 * do nothing must not be able to fill it: beyond the limit refusals of a principal are counted, and one record tells how many
 * there were.
 */
export type Refusals = {
  /** Whether this one gets a record of its own; it is counted otherwise. */
  take(principal: Pick<Principal, 'id' | 'owner'>, scope: string): boolean;
  /** Writes what has been counted. */
  close(): Promise<void>;
};

type CountedRefusals = {
  readonly owner: Owner;
  readonly principal: string;
  readonly scope: string;
  readonly since: number;
  count: number;
};

/** A record of its own per minute, after as many at once as the limit says. */
const PER_MINUTE = 1;
/** How long refusals are counted before the record of them is written. */
const COUNT_MS = 10 * 60_000;

export function createRefusals(parts: {
  readonly audit: Pick<Audit, 'append'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  readonly atOnce: number;
  readonly counts: Pick<LimitCounts, 'reached'>;
}): Refusals {
  const { audit, clock, log } = parts;
  const limiter = createRateLimiter(PER_MINUTE, clock, parts.atOnce);
  const closing = new AbortController();
  let counted = new Map<string, CountedRefusals>();
  let writing: Promise<void> | undefined;

  const count = ({ owner, id }: Pick<Principal, 'id' | 'owner'>, scope: string): void => {
    const key = JSON.stringify([owner.tenant, owner.workspace, id, scope]);
    const known = counted.get(key) ?? { owner, principal: id, scope, since: clock.now(), count: 0 };
    known.count += 1;
    counted.set(key, known);
  };
  const writeLater = async (): Promise<void> => {
    await clock.sleep(COUNT_MS, closing.signal).catch(() => undefined);
    const all = [...counted.values()];
    counted = new Map();
    writing = undefined;
    for (const one of all) await audit.append(one.owner, entryOf(one, clock.now()));
  };
  return {
    take(principal, scope) {
      const { owner, id } = principal;
      if (limiter.take(JSON.stringify([owner.tenant, owner.workspace, id])) === 0) return true;
      parts.counts.reached('recordedRefusals');
      count(principal, scope);
      writing ??= writeLater().catch((error) => log.error('audit.notCounted', {}, error));
      return false;
    },
    async close() {
      closing.abort();
      await writing;
    },
  };
}

const entryOf = ({ principal, scope, since, count }: CountedRefusals, at: number): AuditEntry => ({
  at,
  principal: asId<PrincipalId>(principal),
  action: asId<ScopeName>(scope),
  resource: asId<ResourceName>('several'),
  allowed: false,
  reason: `${count} more refused since ${timestampOf(since)}`,
});
