import {
  asId,
  HostError,
  type Id,
  type NewWebhook,
  type Owner,
  type Principal,
  type Timestamp,
  timestampOf,
} from '@touchstone/protocol';
import { createGuard, type Guard } from '../../net/index.js';
import type { Clock, Ids, Log, Store, Webhook } from '../../ports/index.js';
import type { Config } from '../config/config.js';
import { isOpen } from './webhook-circuit.js';
import { createIntake } from './webhook-intake.js';
import { createLane } from './webhook-lane.js';
import { createLanes } from './webhook-lanes.js';
import { createRegistration, fingerprintOf } from './webhook-registration.js';
import { createSender } from './webhook-sender.js';

/** The one time that a secret is shown. */
type RegisteredWebhook = {
  readonly webhookId: string;
  readonly secret: string;
  readonly secretFingerprint: string;
};

type ListedWebhook = Pick<Webhook, 'webhookId' | 'url' | 'events' | 'tags' | 'failures'> & {
  readonly createdAt: Timestamp;
  readonly openUntil?: Timestamp;
  readonly secretFingerprint: string;
};

/**
 * Tells others of events as they are committed: one attempt each, in order, to whoever of the run's owner asked for it.
 * What cannot be delivered is not kept: whoever needs every event reads the log.
 */
export type Webhooks = {
  register(principal: Principal, wish: NewWebhook): Promise<RegisteredWebhook>;
  remove(owner: Owner, webhookId: string): Promise<void>;
  list(owner: Owner): Promise<readonly ListedWebhook[]>;
  /** From now on commits of this process are told. */
  start(): void;
  /** Gives up what is under way. Call it before the store closes. */
  stop(): Promise<void>;
};

type WebhookParts = {
  readonly store: Pick<Store, 'webhooks' | 'log' | 'runs'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly ids: Pick<Ids, 'token'>;
  readonly guard: Guard;
  readonly version: string;
};

export function createWebhooks(parts: WebhookParts): Webhooks {
  const { store, clock, log } = parts;
  const lanes = createLanes(store.webhooks, clock, (owner, webhook) =>
    createLane(webhook, {
      clock,
      log,
      note: (health) => store.webhooks.note(owner, webhook.webhookId, health),
      sender: createSender(parts, webhook),
    }),
  );
  const intake = createIntake({ store, lanes, log });
  const add = createRegistration(parts);
  return {
    async register(principal, wish) {
      const { webhookId, secret } = await add(principal, wish);
      lanes.forget(principal.owner);
      log.info('webhook.registered', { webhookId: asId<Id<'webhook'>>(webhookId) });
      return { webhookId, secret, secretFingerprint: fingerprintOf(secret) };
    },
    async remove(owner, webhookId) {
      if (!(await store.webhooks.remove(owner, webhookId)))
        throw new HostError('subscription_not_found', 'There is no such webhook.');
      lanes.drop(owner, webhookId);
    },
    async list(owner) {
      const now = clock.now();
      return (await store.webhooks.list(owner)).map((webhook) => toListed(webhook, now));
    },
    start: intake.start,
    async stop() {
      await intake.stop();
      await lanes.close();
    },
  };
}

const toListed = ({ webhookId, url, events, tags, ...webhook }: Webhook, now: number): ListedWebhook => ({
  webhookId,
  url,
  events,
  ...(tags && { tags }),
  createdAt: timestampOf(webhook.createdAt),
  failures: webhook.failures,
  ...(isOpen(webhook, now) && { openUntil: timestampOf(webhook.openUntil ?? now) }),
  secretFingerprint: fingerprintOf(webhook.secret),
});

/** Webhooks are guarded like every URL of a tenant; only with the test seams may they be told to reach this machine. */
export const webhookGuard = (
  { egress }: Pick<Config, 'egress'>,
  testSeams: boolean,
  env: NodeJS.ProcessEnv,
): Guard =>
  createGuard({
    ...egress,
    allowPrivate: egress.allowPrivate || (testSeams && env.OPENWOP_WEBHOOK_ALLOW_PRIVATE === 'true'),
  });
