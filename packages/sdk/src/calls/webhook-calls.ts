import type { NewWebhook, Page, RegisteredWebhook, Webhook } from '@touchstone/protocol';
import type { Transport } from '../transport.js';
import { at, type Get, post, type Reading, type Sending, VENDOR } from './calls.js';

/** Calls on webhooks. */
export function webhookCalls(transport: Transport, get: Get) {
  return {
    /** Registers an address. The answer shows the secret of the signature; no later answer does. */
    register: (body: NewWebhook, sending?: Sending): Promise<RegisteredWebhook> =>
      post(transport, '/v1/webhooks', body, sending),
    /** The webhooks of the tenant, oldest first, with the state of their deliveries. */
    list: (reading?: Reading): Promise<Page<Webhook>> => get(`${VENDOR}/webhooks`, reading),
    /** Stops deliveries to a webhook and removes it. One that is already gone after a retry counts as removed. */
    remove: (webhookId: string, reading?: Reading): Promise<void> =>
      transport.remove({ method: 'DELETE', path: `/v1/webhooks/${at(webhookId)}`, ...reading }),
  };
}
