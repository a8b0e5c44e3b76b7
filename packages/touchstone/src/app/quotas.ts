import { HOST_OWNER, HostError, type Owner } from '@touchstone/protocol';
import type { CountedThing, Store } from '../ports/index.js';
import type { TenantLimits } from './config/tenant-limits.js';
import type { LimitCounts } from './limit-counts.js';

type QuotaLimit = 'storedBytes' | 'suites' | 'agents' | 'webhooks' | 'annotationsPerRun';

export type Quotas = {
  /** Refuses when the tenant has stored all it may, and when it has as many of a thing as it may. */
  checkRoom(owner: Owner, thing?: CountedThing): Promise<void>;
  /** Whether the tenant has stored all it may. */
  isFull(owner: Owner): Promise<boolean>;
  check(limit: QuotaLimit, used: number): void;
  /** Refuses for a while when so many runs of the tenant wait that another one would wait long. */
  checkPending(owner: Owner): Promise<void>;
};

/** Another run begins, and makes room, when one that is at work has ended. */
const PENDING_RETRY_S = 10;

export function createQuotas(
  { amounts }: Pick<Store, 'amounts'>,
  limits: TenantLimits,
  counts: Pick<LimitCounts, 'reached' | 'refusal'>,
): Quotas {
  const check = (limit: QuotaLimit, used: number): void => {
    if (used < limits[limit]) return;
    counts.reached(limit);
    throw exceeded(limit, limits[limit], used);
  };
  return {
    check,
    async checkRoom(owner, thing) {
      if (owner.tenant === HOST_OWNER.tenant) return;
      check('storedBytes', await amounts.bytes(owner));
      if (thing) check(thing, await amounts.count(owner, thing));
    },
    async checkPending(owner) {
      const { pendingRuns: most } = limits;
      if ((await amounts.pendingRuns(owner, most)) < most) return;
      const message = `${most} runs of the tenant wait to begin, which is its limit. Send this again when some have begun.`;
      throw counts.refusal('pendingRuns', message, PENDING_RETRY_S);
    },
    async isFull(owner) {
      const isFull = (await amounts.bytes(owner)) >= limits.storedBytes;
      if (isFull) counts.reached('storedBytes');
      return isFull;
    },
  };
}

const WAYS_OUT: { readonly [limit in QuotaLimit]: string } = {
  storedBytes: 'Remove runs that are no longer needed',
  suites: 'Use a suite that is installed',
  agents: 'Use an agent that is registered',
  webhooks: 'Remove a webhook',
  annotationsPerRun: 'Annotate another run',
};

function exceeded(limit: QuotaLimit, max: number, used: number): HostError {
  const message = `The limit ${limit} of the tenant is ${max}, and ${used} are in use. ${WAYS_OUT[limit]}, or ask the operator to raise limits.perTenant.${limit}.`;
  return new HostError('quota_exceeded', message, { limit, max, used });
}

/**
 * A store that takes no more of a tenant than it may have, whoever writes. The check stands right before the write: of
 * requests at the same moment a few may pass together. A run that moves a deployment is always taken, so that a bad
 * version can be rolled back; it is small.
 */
export function withQuotas(store: Store, { checkRoom, check, checkPending }: Quotas): Store {
  const { runs, suites, judges, agents, packs, annotations, baselines, webhooks } = store;
  return {
    ...store,
    runs: {
      ...runs,
      async create(run, options) {
        if (run.plan.kind !== 'deployment') await checkRoom(run.owner);
        if (run.plan.kind !== 'deployment') await checkPending(run.owner);
        return runs.create(run, options);
      },
    },
    suites: {
      ...suites,
      put: (owner, ...suite) => checkRoom(owner, 'suites').then(() => suites.put(owner, ...suite)),
      putOnce: (owner, ...suite) => checkRoom(owner, 'suites').then(() => suites.putOnce(owner, ...suite)),
    },
    judges: {
      ...judges,
      install: (owner, ...judge) => checkRoom(owner).then(() => judges.install(owner, ...judge)),
    },
    agents: {
      ...agents,
      async put(owner, agent, at) {
        if (!(await agents.get(owner, agent.agentId, agent.version))) await checkRoom(owner, 'agents');
        return agents.put(owner, agent, at);
      },
    },
    packs: {
      ...packs,
      async install(owner, contents, at) {
        const { name, version } = contents.head;
        const isNew = !(await packs.get(owner, name, version));
        if (isNew && contents.suites.length > 0) await checkRoom(owner, 'suites');
        if (isNew && contents.agents.length > 0) await checkRoom(owner, 'agents');
        return packs.install(owner, contents, at);
      },
    },
    annotations: {
      ...annotations,
      async add(owner, annotation, audit) {
        await checkRoom(owner);
        check('annotationsPerRun', await store.amounts.annotations(owner, annotation.runId));
        return annotations.add(owner, annotation, audit);
      },
    },
    baselines: {
      ...baselines,
      bless: (owner, blessing) => checkRoom(owner).then(() => baselines.bless(owner, blessing)),
    },
    webhooks: {
      ...webhooks,
      add: (owner, webhook) => checkRoom(owner, 'webhooks').then(() => webhooks.add(owner, webhook)),
    },
  };
}
