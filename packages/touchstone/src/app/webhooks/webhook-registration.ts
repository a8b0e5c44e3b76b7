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
import { type Guard, GuardRefusal } from '../../net/index.js';
import type { Clock, Ids, Store, Webhook } from '../../ports/index.js';

type RegistrationParts = {
  readonly store: Pick<Store, 'webhooks'>;
  readonly clock: Clock;
  readonly guard: Guard;
  readonly ids: Pick<Ids, 'token'>;
};

const MAX_PER_OWNER = 100;
/** Names are looked up to refuse early. Whether they resolve is the deliveries' business, so nobody waits long for it. */
const RESOLVE_MS = 2_000;

/** Every type the protocol lists, whether or not this version writes it: a later one may. */
const runEvent = schemas['run-event'] as unknown as {
  readonly $defs: { readonly RunEventType: { readonly enum: readonly string[] } };
};
const EVENT_TYPES: ReadonlySet<string> = new Set(runEvent.$defs.RunEventType.enum);

/** The first hex digits of the secret's digest: enough to tell secrets apart, too little to find one. */
export const fingerprintOf = (secret: string): string => sha256(secret).slice(0, 8);

type Registration = (principal: Principal, wish: NewWebhook) => Promise<Webhook>;

/** Checks wishes and stores them as webhooks of the caller's owner. */
export function createRegistration(parts: RegistrationParts): Registration {
  const { clock, guard } = parts;
  const oneAtATime = createTurns();
  return async (principal, wish) => {
    checkWish(wish, principal.owner);
    await checkDestination(guard, clock, wish.url);
    const { tenant, workspace } = principal.owner;
    return oneAtATime(JSON.stringify([tenant, workspace]), () => add(parts, principal, wish));
  };
}

/** Two at once would both see the last free place. Another process may still: the limit is against loops, not exact. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}

async function add(
  { store, clock, ids }: RegistrationParts,
  { id, owner }: Principal,
  wish: NewWebhook,
): Promise<Webhook> {
  if ((await store.webhooks.list(owner)).length >= MAX_PER_OWNER)
    throw new HostError('conflict', `There are ${MAX_PER_OWNER} webhooks already. Remove one first.`);
  const webhook: Webhook = {
    webhookId: `wh-${ids.token()}`,
    url: wish.url,
    events: wish.events,
    ...(wish.tags && { tags: wish.tags }),
    secret: wish.secret ?? sha256(ids.token()),
    principal: id,
    createdAt: clock.now(),
    failures: 0,
  };
  await store.webhooks.add(owner, webhook);
  return webhook;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function checkWish({ url, events, tenantId }: NewWebhook, { tenant }: Owner): void {
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

/** What is wrong with where a name points to now. A name that points nowhere yet may still be on its way. */
async function addressProblem(guard: Guard, clock: Clock, url: URL): Promise<string | undefined> {
  const over = new AbortController();
  const resolved = new Promise<string | undefined>((resolve) => {
    guard.lookup(url)(url.hostname, { all: true }, (error) =>
      resolve(error instanceof GuardRefusal ? error.message : undefined),
    );
  });
  const nothing = (): undefined => undefined;
  const timeUp = clock.sleep(RESOLVE_MS, over.signal).then(nothing, nothing);
  const problem = await Promise.race([resolved, timeUp]);
  over.abort();
  return problem;
}
