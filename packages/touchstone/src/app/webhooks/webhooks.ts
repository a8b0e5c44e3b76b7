import { createHash } from 'node:crypto';
import {
  asId,
  HostError,
  type Id,
  type Issue,
  type NewWebhook,
  type Owner,
  type Principal,
  type RegisteredWebhook,
  timestampOf,
  validationError,
  type Webhook as WebhookEntry,
} from '@touchstone/protocol';
import { PAYLOAD_TYPES, schemas } from '@touchstone/protocol/wire';
import {
  createGuard,
  createSemaphore,
  type Guard,
  GuardRefusal,
  type Names,
  TIMED_OUT,
  withinTime,
} from '../../net/index.js';
import type { Clock, CreationId, Ids, Log, Store, Webhook } from '../../ports/index.js';
import type { Config } from '../config/config.js';
import { createSharedBytes, type HeldBytes, type SharedBytes } from '../held-bytes.js';
import { createDispatch, createEndpoints } from './webhook-dispatch.js';
import { createEndpoint, isResting, type WebhookMessage } from './webhook-endpoint.js';

/** The secret is shown only in the answer to the registration. */
type WebhookCredentials = Omit<RegisteredWebhook, 'subscriptionId'>;

/**
 * Posts events to registered URLs as they are committed: one attempt each, in order, to the webhooks of the run's owner.
 * Failed deliveries are not repeated; a client that needs every event reads the log.
 */
export type Webhooks = {
  register(principal: Principal, request: NewWebhook, creationId?: CreationId): Promise<WebhookCredentials>;
  remove(owner: Owner, webhookId: string): Promise<void>;
  list(owner: Owner): Promise<readonly WebhookEntry[]>;
  /** From now on the commits of this process are posted. */
  start(): void;
  /** Abandons what is under way. Call it before the store closes. */
  stop(): Promise<void>;
};

type WebhookParts = {
  readonly store: Pick<Store, 'webhooks' | 'log' | 'runs'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly ids: Pick<Ids, 'token'>;
  readonly guard: Guard;
  /** How the names of tenants' URLs are looked up; by the system when absent. */
  readonly names?: Names;
  readonly version: string;
  /** What messages hold while they wait. */
  readonly held: HeldBytes;
};

export function createWebhooks(parts: WebhookParts): Webhooks {
  const { store, clock, log } = parts;
  const guardOf = guardOfOwner(parts);
  const sharedBy = createTenantMessages(parts.held);
  const endpoints = createEndpoints(store.webhooks, clock, (owner, webhook) =>
    createEndpoint(webhook, { ...parts, guard: guardOf(owner) }, sharedBy(owner.tenant), (health) =>
      store.webhooks.note(owner, webhook.webhookId, health),
    ),
  );
  const dispatch = createDispatch({ store, endpoints, log });
  const add = createRegistration(parts);
  return {
    async register(principal, request, creationId) {
      const { webhookId, secret } = await add(principal, request, creationId);
      endpoints.refresh(principal.owner);
      log.info('webhook.registered', { webhookId: asId<Id<'webhook'>>(webhookId) });
      return { webhookId, secret, secretFingerprint: fingerprintOf(secret) };
    },
    async remove(owner, webhookId) {
      if (!(await store.webhooks.remove(owner, webhookId)))
        throw new HostError('subscription_not_found', 'There is no such webhook.');
      endpoints.refresh(owner, webhookId);
    },
    async list(owner) {
      const now = clock.now();
      return (await store.webhooks.list(owner)).map((webhook) => summaryOf(webhook, now));
    },
    start: dispatch.start,
    async stop() {
      await dispatch.stop();
      await endpoints.close();
    },
  };
}

/** A message that waits for several endpoints of a tenant is one. */
function createTenantMessages(held: HeldBytes): (tenant: string) => SharedBytes<WebhookMessage> {
  const tenants = new Map<string, SharedBytes<WebhookMessage>>();
  return (tenant) => {
    const shared =
      tenants.get(tenant) ??
      createSharedBytes<WebhookMessage>(
        ({ body }) => held.tryHold(tenant, body.length),
        ({ body }) => held.release(tenant, body.length),
      );
    tenants.set(tenant, shared);
    return shared;
  };
}

const summaryOf = ({ webhookId, url, events, tags, ...webhook }: Webhook, now: number): WebhookEntry => ({
  webhookId,
  url,
  events,
  ...(tags && { tags }),
  createdAt: timestampOf(webhook.createdAt),
  failures: webhook.failures,
  ...(isResting(webhook, now) && { openUntil: timestampOf(webhook.openUntil ?? now) }),
  secretFingerprint: fingerprintOf(webhook.secret),
});

/** Webhooks are guarded like every URL of a tenant. With the test seams they may be allowed to reach this machine. */
export const webhookGuard = (
  { egress }: { readonly egress: Pick<Config['egress'], 'allowHosts' | 'allowPrivate'> },
  testSeams: boolean,
  env: NodeJS.ProcessEnv,
): Guard =>
  createGuard({
    ...egress,
    allowPrivate: egress.allowPrivate || (testSeams && env.OPENWOP_WEBHOOK_ALLOW_PRIVATE === 'true'),
  });

const guardOfOwner =
  ({ guard, names }: Pick<WebhookParts, 'guard' | 'names'>) =>
  ({ tenant }: Owner): Guard =>
    names ? guard.withNames(names.of(tenant)) : guard;

type RegistrationParts = Pick<WebhookParts, 'clock' | 'guard' | 'names' | 'ids'> & {
  readonly store: Pick<Store, 'webhooks'>;
};

/** Names are looked up to refuse early. Deliveries check them again, so registration does not wait long for it. */
const RESOLVE_MS = 2_000;

/** Every type the protocol lists, whether or not this version writes it: a later one may. */
const runEvent = schemas['run-event'] as unknown as {
  readonly $defs: { readonly RunEventType: { readonly enum: readonly string[] } };
};
const EVENT_TYPES: ReadonlySet<string> = new Set(runEvent.$defs.RunEventType.enum);

/** The first hex digits of the secret's digest: enough to tell secrets apart, too little to find one. */
const fingerprintOf = (secret: string): string => sha256(secret).slice(0, 8);

type Registration = (principal: Principal, request: NewWebhook, creationId?: CreationId) => Promise<Webhook>;

/** Checks requests and stores them as webhooks of the caller's owner. */
function createRegistration(parts: RegistrationParts): Registration {
  // Two at once would both see the last free place of the tenant. Another process may still: the limit is against loops.
  const oneAtATime = createSemaphore(1);
  return async (principal, request, creationId) => {
    checkRequest(request, principal.owner);
    await checkDestination(guardOfOwner(parts)(principal.owner), parts.clock, request.url);
    return oneAtATime.run(() => add(parts, principal, request, creationId ?? parts.ids.token()));
  };
}

async function add(
  { store, clock, ids }: RegistrationParts,
  { id, owner }: Principal,
  request: NewWebhook,
  name: string,
): Promise<Webhook> {
  const webhookId = `wh-${name}`;
  const present = await store.webhooks.list(owner);
  const before = present.find((webhook) => webhook.webhookId === webhookId);
  if (before) return before;
  const webhook: Webhook = {
    webhookId,
    url: request.url,
    events: request.events,
    ...(request.tags && { tags: request.tags }),
    secret: request.secret ?? sha256(ids.token()),
    principal: id,
    createdAt: clock.now(),
    failures: 0,
  };
  await store.webhooks.add(owner, webhook);
  return webhook;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function checkRequest({ url, events, tenantId }: NewWebhook, { tenant }: Owner): void {
  const issues: Issue[] = events.flatMap((type, index) =>
    EVENT_TYPES.has(type) ? [] : [unknownType(index)],
  );
  const details = issues.length > 0 ? { events: PAYLOAD_TYPES } : {};
  if (!URL.canParse(url)) issues.push({ pointer: '/url', message: 'Expected an absolute URL.' });
  if (tenantId !== undefined && tenantId !== tenant)
    issues.push({ pointer: '/tenantId', message: "Expected the caller's own tenant. Leave it out." });
  if (issues.length > 0) throw validationError(issues, details);
}

const unknownType = (index: number): Issue => ({
  pointer: `/events/${index}`,
  message: 'Expected a type of event that the protocol lists, such as those in details.events.',
});

async function checkDestination(guard: Guard, clock: Clock, url: string): Promise<void> {
  const [issue] = guard.checkUrl(url, '/url');
  const problem = issue?.message ?? (await addressProblem(guard, clock, new URL(url)));
  if (problem !== undefined) throw new HostError('webhook_url_rejected', problem, { field: 'url' });
}

/** Why the addresses of the URL's name are refused now. A name that does not resolve yet is not refused. */
async function addressProblem(guard: Guard, clock: Clock, url: URL): Promise<string | undefined> {
  const lookUp = () =>
    new Promise<string | undefined>((resolve) => {
      guard.lookup(url)(url.hostname, { all: true }, (error) =>
        resolve(error instanceof GuardRefusal ? error.message : undefined),
      );
    });
  const problem = await withinTime(clock, RESOLVE_MS, lookUp);
  return problem === TIMED_OUT ? undefined : problem;
}
