import { createHash } from 'node:crypto';
import {
  HostError,
  type Issue,
  type NewWebhook,
  type Owner,
  type Principal,
  validationError,
} from '@touchstone/protocol';
import { PAYLOAD_TYPES, schemas } from '@touchstone/protocol/wire';
import { createSemaphore, type Guard, GuardRefusal, TIMED_OUT, withinTime } from '../../net/index.js';
import type { Clock, Ids, Store, Webhook } from '../../ports/index.js';

type RegistrationParts = {
  readonly store: Pick<Store, 'webhooks'>;
  readonly clock: Clock;
  readonly guard: Guard;
  readonly ids: Pick<Ids, 'token'>;
};

const MAX_PER_OWNER = 100;
/** Names are looked up to refuse early. Deliveries check them again, so registration does not wait long for it. */
const RESOLVE_MS = 2_000;

/** Every type the protocol lists, whether or not this version writes it: a later one may. */
const runEvent = schemas['run-event'] as unknown as {
  readonly $defs: { readonly RunEventType: { readonly enum: readonly string[] } };
};
const EVENT_TYPES: ReadonlySet<string> = new Set(runEvent.$defs.RunEventType.enum);

/** The first hex digits of the secret's digest: enough to tell secrets apart, too little to find one. */
export const fingerprintOf = (secret: string): string => sha256(secret).slice(0, 8);

type Registration = (principal: Principal, request: NewWebhook) => Promise<Webhook>;

/** Checks requests and stores them as webhooks of the caller's owner. */
export function createRegistration(parts: RegistrationParts): Registration {
  // Two at once would both see the last free place. Another process may still: the limit is against loops, not exact.
  const oneAtATime = createSemaphore(1);
  return async (principal, request) => {
    checkRequest(request, principal.owner);
    await checkDestination(parts.guard, parts.clock, request.url);
    return oneAtATime.run(() => add(parts, principal, request));
  };
}

async function add(
  { store, clock, ids }: RegistrationParts,
  { id, owner }: Principal,
  request: NewWebhook,
): Promise<Webhook> {
  if ((await store.webhooks.list(owner)).length >= MAX_PER_OWNER)
    throw new HostError('conflict', `There are ${MAX_PER_OWNER} webhooks already. Remove one first.`);
  const webhook: Webhook = {
    webhookId: `wh-${ids.token()}`,
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
