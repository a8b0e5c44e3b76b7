import type { Shape } from '@touchstone/protocol/wire';
import type { WebhookRequest, Webhooks } from '../../app/index.js';
import { bodyOf, type Endpoint, endpoint } from '../endpoint.js';
import type { Services } from '../services.js';
import { page } from '../shapes/vendor-shapes.js';

const text: Shape = { type: 'string' };
const count: Shape = { type: 'integer', minimum: 0 };
const texts = (options: Shape = {}): Shape => ({ type: 'array', items: text, ...options });

const webhookBody: Shape = {
  type: 'object',
  properties: {
    url: { ...text, minLength: 1, maxLength: 2_048, description: 'Where events are posted to, by https.' },
    events: texts({
      items: { ...text, minLength: 1, maxLength: 128 },
      minItems: 1,
      maxItems: 200,
      uniqueItems: true,
      description: 'Types of events, by name.',
    }),
    tenantId: { ...text, description: "The caller's own tenant; it may as well be left out." },
    tags: texts({
      items: { ...text, minLength: 1, maxLength: 256 },
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description: 'Only of runs that bear one of these; default: of all runs.',
    }),
    secret: {
      ...text,
      pattern: '^[\\x20-\\x7e]{32,256}$',
      description: '32 to 256 printable ASCII characters; made here when left out.',
    },
  },
  required: ['url', 'events'],
  additionalProperties: false,
};
const registered: Shape = {
  type: 'object',
  properties: {
    webhookId: text,
    subscriptionId: { ...text, description: 'The webhookId under its other name.' },
    secret: { ...text, description: 'Signs what is sent. Shown here and never again.' },
    secretFingerprint: { ...text, description: 'First 8 hex digits of its SHA-256.' },
  },
  required: ['webhookId', 'subscriptionId', 'secret', 'secretFingerprint'],
  additionalProperties: false,
};
const listed: Shape = {
  type: 'object',
  properties: {
    webhookId: text,
    url: text,
    events: texts(),
    tags: texts(),
    createdAt: { ...text, description: 'ISO 8601.' },
    failures: { ...count, description: 'Deliveries that failed in a row.' },
    openUntil: { ...text, description: 'ISO 8601. Nothing is sent before.' },
    secretFingerprint: text,
  },
  required: ['webhookId', 'url', 'events', 'createdAt', 'failures', 'secretFingerprint'],
  additionalProperties: false,
};

export const webhookEndpoints = ({
  webhooks,
}: Services & { readonly webhooks: Webhooks }): readonly Endpoint[] => [
  endpoint({
    operationId: 'registerWebhook',
    method: 'POST',
    path: '/v1/webhooks',
    auth: 'webhooks:manage',
    summary: 'Be told of events by signed POST requests',
    body: bodyOf<WebhookRequest>(webhookBody),
    responses: { 201: { description: 'The webhook is registered.', schema: registered } },
    refusals: ['webhook_url_rejected', 'conflict'],
    // A repetition under the same Idempotency-Key gets the first answer again, secret included: the caller may never
    // have seen it, and without it the webhook is of no use. The answer is kept where the secret is kept anyway.
    async handle(call) {
      const { webhookId, ...secrets } = await webhooks.register(call.principal, call.body);
      return { status: 201, body: { webhookId, subscriptionId: webhookId, ...secrets } };
    },
  }),
  endpoint({
    operationId: 'removeWebhook',
    method: 'DELETE',
    path: '/v1/webhooks/{webhookId}',
    auth: 'webhooks:manage',
    summary: 'Be told no longer',
    responses: { 204: { description: 'The webhook is gone.' } },
    refusals: ['subscription_not_found'],
    async handle(call) {
      await webhooks.remove(call.principal.owner, call.params.webhookId ?? '');
      return { status: 204 };
    },
  }),
  endpoint({
    operationId: 'listWebhooks',
    method: 'GET',
    path: '/v1/host/touchstone/webhooks',
    auth: 'webhooks:manage',
    summary: "The caller's webhooks, oldest first, and how they fare",
    responses: { 200: { description: 'Webhooks without their secrets.', schema: page(listed) } },
    async handle(call) {
      return { status: 200, body: { items: await webhooks.list(call.principal.owner) } };
    },
  }),
];
