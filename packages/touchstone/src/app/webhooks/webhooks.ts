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
import { createDispatch, createEndpoints } from './webhook-dispatch.js';
import { createEndpoint, isResting } from './webhook-endpoint.js';
import { createRegistration, fingerprintOf } from './webhook-registration.js';

/** The secret is shown only in the answer to the registration. */
type WebhookCredentials = {
  readonly webhookId: string;
  readonly secret: string;
  readonly secretFingerprint: string;
};

type WebhookSummary = Pick<Webhook, 'webhookId' | 'url' | 'events' | 'tags' | 'failures'> & {
  readonly createdAt: Timestamp;
  readonly openUntil?: Timestamp;
  readonly secretFingerprint: string;
};

/**
 * Posts events to registered URLs as they are committed: one attempt each, in order, to the webhooks of the run's owner.
 * Failed deliveries are not repeated; a client that needs every event reads the log.
 */
export type Webhooks = {
  register(principal: Principal, request: NewWebhook): Promise<WebhookCredentials>;
  remove(owner: Owner, webhookId: string): Promise<void>;
  list(owner: Owner): Promise<readonly WebhookSummary[]>;
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
  readonly version: string;
};

export function createWebhooks(parts: WebhookParts): Webhooks {
  const { store, clock, log } = parts;
  const endpoints = createEndpoints(store.webhooks, clock, (owner, webhook) =>
    createEndpoint(webhook, parts, (health) => store.webhooks.note(owner, webhook.webhookId, health)),
  );
  const dispatch = createDispatch({ store, endpoints, log });
  const add = createRegistration(parts);
  return {
    async register(principal, request) {
      const { webhookId, secret } = await add(principal, request);
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

const summaryOf = ({ webhookId, url, events, tags, ...webhook }: Webhook, now: number): WebhookSummary => ({
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
  { egress }: Pick<Config, 'egress'>,
  testSeams: boolean,
  env: NodeJS.ProcessEnv,
): Guard =>
  createGuard({
    ...egress,
    allowPrivate: egress.allowPrivate || (testSeams && env.OPENWOP_WEBHOOK_ALLOW_PRIVATE === 'true'),
  });
