import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { asId, type Owner, type Principal, type RunId, type RunPlan } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import { createGuard, type Guard } from '../../net/index.js';
import type { Clock, Log, NewRun, Run, Store, Webhook } from '../../ports/index.js';
import { createMemoryStore } from '../../store/index.js';
import { completeTenantLimits } from '../config/tenant-limits.js';
import { createHeldBytes } from '../held-bytes.js';
import { createLimitCounts } from '../limit-counts.js';
import { createQuotas, withQuotas } from '../quotas.js';
import { createWebhooks, type Webhooks } from '../webhooks/webhooks.js';
import { createManualClock, type ManualClock } from './manual-clock.js';

/** What one side puts in and a test takes out, waiting if it must. */
type Channel<T> = { put(value: T): void; next(): Promise<T>; readonly size: number };

function createChannel<T>(): Channel<T> {
  const values: T[] = [];
  const takers: ((value: T) => void)[] = [];
  return {
    put(value) {
      const taker = takers.shift();
      if (taker) taker(value);
      else values.push(value);
    },
    next: () =>
      new Promise((resolve) => {
        if (values.length > 0) resolve(values.shift() as T);
        else takers.push(resolve);
      }),
    get size() {
      return values.length;
    },
  };
}

type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly sequence: number;
  readonly runId: string;
};
export type Receiver = {
  readonly url: string;
  readonly port: number;
  readonly received: Channel<Received>;
  /** How the next requests are answered; 204 unless a test says otherwise. */
  answer: (response: ServerResponse, received: Received) => void;
  connections(): number;
  close(): Promise<void>;
};

/** Someone on loopback who wants to be told. */
export async function createReceiver(): Promise<Receiver> {
  let connections = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { runId, event } = JSON.parse(body) as { runId: string; event: { sequence: number } };
    const received = {
      path: request.url ?? '',
      headers: request.headers,
      body,
      runId,
      sequence: event.sequence,
    };
    receiver.received.put(received);
    receiver.answer(response, received);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/`,
    port,
    received: createChannel(),
    answer: (response) => response.writeHead(204).end(),
    connections: () => connections,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}

export const ACME: Owner = { tenant: 'acme', workspace: 'main' };
export const principalOf = (owner: Owner): Principal => ({
  id: 'ci',
  owner,
  roles: [],
  scopes: new Set(['webhooks:manage']),
});

const PLAIN: RunPlan = { kind: 'workflow', workflowId: 'w' };

type Health = Pick<Webhook, 'failures' | 'openUntil'>;

export type WebhookWorld = {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly webhooks: Webhooks;
  /** What has been remembered of deliveries. */
  readonly noted: Channel<Health>;
  readonly lines: { readonly level: string; readonly event: string; readonly facts: object }[];
  /** A run of an owner that nobody drives. */
  run(options?: { owner?: Owner; tags?: readonly string[]; plan?: RunPlan }): Promise<Run>;
  append(run: Run, events: readonly NewEvent[]): Promise<void>;
  /** Resolves when at most so many deliveries are under way. */
  untilUnderWay(most: number): Promise<void>;
  /** The same store after a restart of everything else. */
  restart(): Promise<Webhooks>;
  close(): Promise<void>;
};

export async function createWebhookWorld(
  guard: Guard = createGuard({ allowPrivate: true }),
): Promise<WebhookWorld> {
  const clock = createManualClock();
  const opened = await createMemoryStore(clock);
  const store = withQuotas(opened, createQuotas(opened, completeTenantLimits(), createLimitCounts()));
  const noted = createChannel<Health>();
  const lines: WebhookWorld['lines'] = [];
  const started: Webhooks[] = [];
  let made = 0;
  const token = (): string => {
    made += 1;
    return `token${String(made).padStart(27, '0')}`;
  };
  const start = (): Webhooks => {
    const webhooks = createWebhooks({
      store: listened(store, noted),
      clock,
      log: logTo(lines),
      ids: { token },
      guard,
      version: '1.2.3',
      held: createHeldBytes({ perTenant: 32 * 1024 * 1024, total: 256 * 1024 * 1024 }),
    });
    webhooks.start();
    started.push(webhooks);
    return webhooks;
  };
  return {
    store,
    clock,
    webhooks: start(),
    noted,
    lines,
    async run({ owner = ACME, tags, plan = PLAIN } = {}) {
      made += 1;
      return (await store.runs.create(newRun(asId<RunId>(`run-${made}`), owner, plan, clock, tags))) as Run;
    },
    append: (run, events) => append(store, run, events),
    async untilUnderWay(most) {
      // Each has a deadline, and nobody else sleeps.
      while (clock.sleeping > most) await new Promise((resolve) => setImmediate(resolve));
    },
    async restart() {
      await started.at(-1)?.stop();
      return start();
    },
    async close() {
      await Promise.all(started.map((webhooks) => webhooks.stop()));
      await store.close();
    },
  };
}

const listened = (store: Store, noted: Channel<Health>): Store => ({
  ...store,
  webhooks: {
    ...store.webhooks,
    async note(owner, webhookId, health) {
      await store.webhooks.note(owner, webhookId, health);
      noted.put(health);
    },
  },
});

const logTo = (lines: WebhookWorld['lines']): Log => ({
  info: (event, facts = {}) => lines.push({ level: 'info', event, facts }),
  warn: (event, facts = {}) => lines.push({ level: 'warn', event, facts }),
  error: (event, facts = {}) => lines.push({ level: 'error', event, facts }),
});

const newRun = (
  runId: RunId,
  owner: Owner,
  plan: RunPlan,
  clock: Clock,
  tags?: readonly string[],
): NewRun => ({
  runId,
  owner,
  principal: 'ci',
  origin: 'host',
  workflowId: 'w',
  plan,
  request: { ...(tags && { tags }) },
  createdAt: clock.now(),
  engineVersion: 1,
});

async function append(store: Store, { owner, runId }: Run, events: readonly NewEvent[]): Promise<void> {
  const { eventCount } = (await store.runs.get(owner, runId)) as Run;
  const lease = await store.leases.take(owner, runId, 60_000);
  if (!lease) throw new Error('The test could not take the lease.');
  await store.log.commit(lease, { entries: [{ kind: 'events', events }], firstSequence: eventCount });
  await store.leases.release(lease);
}
