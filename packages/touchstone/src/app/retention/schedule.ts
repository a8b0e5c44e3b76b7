import { asId, type Owner, type PrincipalId } from '@touchstone/protocol';
import type { Clock, Log, Store } from '../../ports/index.js';
import type { Config } from '../config/config.js';
import { spanMs } from '../config/span.js';
import { type PruneRule, pruneRuns } from './prune.js';
import type { Retention } from './retention.js';

type Rules = Config['retention'];

/** Who the audit log names when the configuration removes a run. No key can have this principal. */
const PRINCIPAL = asId<PrincipalId>('~retention');
const EVERY_MS = 3_600_000;

type Parts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly rules: Rules;
  readonly retention: Pick<Retention, 'sweep' | 'close'>;
};

/**
 * Applies the rules of the configuration at the start and every hour. Of processes that know each other one does. Several may do
 * so at once all the same: a run is removed once, and its rows are cleared by any of them. Returns the function that ends it.
 */
export function startRetention(parts: Parts): () => Promise<void> {
  const { log, retention } = parts;
  const closing = new AbortController();
  let working = Promise.resolve();
  const tick = (): void => {
    working = working
      .then(() => applyRules(parts, closing.signal))
      .catch((error) => log.error('retention.failed', {}, error));
  };
  tick();
  const timer = setInterval(tick, EVERY_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    closing.abort();
    await retention.close();
    await working;
  };
}

async function applyRules(parts: Parts, signal: AbortSignal): Promise<void> {
  const { store, clock, log, rules, retention } = parts;
  if (!(await store.maintains())) return;
  const hasRules = Object.keys(rules).length > 0;
  const totals = { removed: 0, kept: 0 };
  for (const owner of hasRules ? await store.retention.owners() : [])
    for (const rule of rulesFor(rules, owner, clock.now())) {
      const { removed, kept } = await applyRule(parts, owner, rule, signal);
      totals.removed += removed;
      totals.kept += kept;
    }
  // Also what another process has removed and not cleared.
  if (!signal.aborted) await retention.sweep();
  if (hasRules) log.info('retention.applied', totals);
}

async function applyRule({ store, clock }: Parts, owner: Owner, rule: PruneRule, signal: AbortSignal) {
  let removed = 0;
  for (;;) {
    const options = { rule, dryRun: false, principal: PRINCIPAL, now: clock.now(), signal };
    const pruned = await pruneRuns(store, owner, options);
    removed += pruned.removed.length;
    if (!pruned.more || signal.aborted) return { removed, kept: pruned.kept.length };
  }
}

/** A tenant's own rule counts alone; `*` is for the tenants that have none. */
function rulesFor(rules: Rules, { tenant }: Owner, now: number): readonly PruneRule[] {
  const rule = Object.hasOwn(rules, tenant) ? rules[tenant] : rules['*'];
  if (!rule) return [];
  const { olderThan, keep, bodiesOlderThan } = rule;
  const before = (span: string | undefined) => (span === undefined ? undefined : now - (spanMs(span) ?? 0));
  return [
    ...(olderThan === undefined && keep === undefined
      ? []
      : [{ endedBefore: before(olderThan), keep, bodiesOnly: false }]),
    ...(bodiesOlderThan === undefined ? [] : [{ endedBefore: before(bodiesOlderThan), bodiesOnly: true }]),
  ];
}
