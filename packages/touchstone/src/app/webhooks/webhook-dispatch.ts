import type { Owner } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import type { Clock, Log, Store, Webhook, Webhooks } from '../../ports/index.js';
import { createStretches, firstNews, type Stretch, type Stretches } from '../stretches.js';
import type { Endpoint } from './webhook-endpoint.js';

/** The endpoints of the owners that have committed something, kept in step with the store. */
type Endpoints = {
  /** Whether the owner is known to have no webhooks. Asked at every commit, so it does not read the store. */
  hasNone(owner: Owner): boolean;
  of(owner: Owner): Promise<readonly Endpoint[]>;
  /** The owner's webhooks have changed: the next call of `of` reads the store. A removed one is closed at once. */
  refresh(owner: Owner, removedId?: string): void;
  close(): Promise<void>;
};

/** Other processes register webhooks too, without notice. */
const FRESH_MS = 5_000;
const STALE = 0;
const READING = -1;

export function createEndpoints(
  stored: Pick<Webhooks, 'list'>,
  clock: Pick<Clock, 'elapsed'>,
  open: (owner: Owner, webhook: Webhook) => Endpoint,
): Endpoints {
  type OwnerEndpoints = { readonly byId: Map<string, Endpoint>; freshUntil: number };
  const owners = new Map<string, OwnerEndpoints>();
  const entryOf = ({ tenant, workspace }: Owner): OwnerEndpoints => {
    const key = JSON.stringify([tenant, workspace]);
    const entry = owners.get(key) ?? { byId: new Map<string, Endpoint>(), freshUntil: STALE };
    owners.set(key, entry);
    return entry;
  };
  const isFresh = ({ freshUntil }: OwnerEndpoints): boolean => clock.elapsed() < freshUntil;

  function remove({ byId }: OwnerEndpoints, webhookId: string): void {
    void byId.get(webhookId)?.close();
    byId.delete(webhookId);
  }

  async function read(owner: Owner, entry: OwnerEndpoints): Promise<void> {
    entry.freshUntil = READING;
    const webhooks = await stored.list(owner);
    const ids = new Set(webhooks.map(({ webhookId }) => webhookId));
    for (const webhookId of [...entry.byId.keys()]) if (!ids.has(webhookId)) remove(entry, webhookId);
    for (const webhook of webhooks)
      if (!entry.byId.has(webhook.webhookId)) entry.byId.set(webhook.webhookId, open(owner, webhook));
    // A change during the read has made it stale again.
    if (entry.freshUntil === READING) entry.freshUntil = clock.elapsed() + FRESH_MS;
  }

  return {
    hasNone(owner) {
      const entry = entryOf(owner);
      return entry.byId.size === 0 && isFresh(entry);
    },
    async of(owner) {
      const entry = entryOf(owner);
      while (!isFresh(entry)) await read(owner, entry);
      return [...entry.byId.values()];
    },
    refresh(owner, removedId) {
      const entry = entryOf(owner);
      entry.freshUntil = STALE;
      if (removedId !== undefined) remove(entry, removedId);
    },
    async close() {
      const all = [...owners.values()].flatMap(({ byId }) => [...byId.values()]);
      await Promise.all(all.map((endpoint) => endpoint.close()));
    },
  };
}

type DispatchParts = {
  readonly store: Pick<Store, 'log' | 'runs'>;
  readonly endpoints: Pick<Endpoints, 'hasNone' | 'of'>;
  readonly log: Log;
};

const PAGE_EVENTS = 200;

/** Hands committed events from the log to the endpoints that subscribe to them. */
export function createDispatch(parts: DispatchParts): Pick<Stretches, 'start' | 'stop'> {
  const { store, endpoints, log } = parts;
  return createStretches({
    log: store.log,
    wants: (owner) => !endpoints.hasNone(owner),
    handle: (stretch, isStopped) => dispatch(parts, stretch, isStopped),
    onFailed: ({ runId }, error) => log.error('webhook.intakeFailed', { runId }, error),
  });
}

async function dispatch(
  { store, endpoints }: DispatchParts,
  { owner, runId, from, until }: Stretch,
  isStopped: () => boolean,
): Promise<void> {
  const all = await endpoints.of(owner);
  const run = all.length > 0 ? await store.runs.get(owner, runId) : undefined;
  const first = run && firstNews(run.plan.fork, from);
  const listening = all.filter((endpoint) => endpoint.isOpenTo(run?.request.tags ?? []));
  if (first === undefined || listening.length === 0) return;
  for (let next = first; next < until && !isStopped(); ) {
    const events = await store.log.read(owner, runId, next - 1, PAGE_EVENTS);
    for (const event of events) if (event.sequence < until) offer(listening, owner, event);
    next = (events.at(-1)?.sequence ?? until) + 1;
  }
}

function offer(endpoints: readonly Endpoint[], owner: Owner, event: RunEvent): void {
  const { runId, sequence, type } = event;
  const interested = endpoints.filter((endpoint) => endpoint.wants(type));
  if (interested.length === 0) return;
  const body = JSON.stringify({ runId, type, workspaceId: owner.workspace, event });
  for (const endpoint of interested) endpoint.offer({ runId, sequence, type, body });
}
