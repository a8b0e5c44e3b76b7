import { HostError, type Owner } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import type { Webhooks } from '../../app/index.js';
import { bodyOf, type Endpoint, endpoint, ok } from '../endpoint.js';
import { optionalText } from '../query.js';
import type { Services } from '../services.js';

const removalQuery = { tenantId: optionalText("The caller's own tenant; it may as well be left out.") };

/** Before the webhook is looked for: what a caller is told must not depend on what another tenant has. */
function checkTenant({ tenant }: Owner, tenantId: string | undefined): void {
  if (tenantId === undefined || tenantId === tenant) return;
  throw new HostError('forbidden', "Expected the caller's own tenant, or none.", { field: 'tenantId' });
}

export const webhookEndpoints = ({
  webhooks,
}: Services & { readonly webhooks: Webhooks }): readonly Endpoint[] => [
  endpoint({
    operationId: 'registerWebhook',
    route: 'POST /v1/webhooks',
    auth: 'webhooks:manage',
    summary: 'Be told of events by signed POST requests',
    body: bodyOf(vendor.webhookBody),
    responses: { 201: { description: 'The webhook is registered.', schema: vendor.registeredWebhook } },
    refusals: ['webhook_url_rejected', 'quota_exceeded'],
    // A repetition under the same Idempotency-Key gets the first answer again, secret included: the caller may never
    // have seen it, and without it the webhook is of no use. The answer is kept where the secret is kept anyway.
    async handle(call) {
      const { webhookId, ...secrets } = await webhooks.register(call.principal, call.body, call.creationId);
      return { status: 201, body: { webhookId, subscriptionId: webhookId, ...secrets } };
    },
  }),
  endpoint({
    operationId: 'removeWebhook',
    route: 'DELETE /v1/webhooks/{webhookId}',
    auth: 'webhooks:manage',
    summary: 'Be told no longer',
    parameters: removalQuery,
    responses: { 204: { description: 'The webhook is gone.' } },
    refusals: ['subscription_not_found'],
    async handle(call) {
      checkTenant(call.principal.owner, call.query.tenantId);
      await webhooks.remove(call.principal.owner, call.params.webhookId ?? '');
      return { status: 204 };
    },
  }),
  endpoint({
    operationId: 'listWebhooks',
    route: 'GET /v1/host/touchstone/webhooks',
    auth: 'webhooks:manage',
    summary: "The caller's webhooks, oldest first, and how they fare",
    responses: ok('Webhooks without their secrets.', vendor.webhookPage),
    async handle(call) {
      return { status: 200, body: { items: await webhooks.list(call.principal.owner) } };
    },
  }),
];
