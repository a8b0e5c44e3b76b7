import type { Timestamp } from '../../model/ids.js';
import { closed, count, id, list, set, text, type Wire } from '../schema/build.js';
import { page } from './parts.js';

const name = (maxLength: number) => text(undefined, { minLength: 1, maxLength });

export const webhookBody = closed(
  {
    url: text('Where events are posted to, by https.', { minLength: 1, maxLength: 2_048 }),
    events: set(name(128), 'Types of events, by name.', { minItems: 1, maxItems: 200 }),
  },
  {
    tenantId: text("The caller's own tenant; it may as well be left out."),
    tags: set(name(256), 'Only of runs that bear one of these; default: of all runs.', {
      minItems: 1,
      maxItems: 100,
    }),
    secret: text('32 to 256 printable ASCII characters; made here when left out.', {
      pattern: '^[\\x20-\\x7e]{32,256}$',
    }),
  },
);
/** Body of `POST /v1/webhooks`. */
export type NewWebhook = Wire<typeof webhookBody>;

export const registeredWebhook = closed({
  /** Names it in later requests. */
  webhookId: text(),
  subscriptionId: text('The webhookId under its other name.'),
  secret: text('Signs what is sent. Shown here and never again.'),
  secretFingerprint: text('First 8 hex digits of its SHA-256.'),
});
export type RegisteredWebhook = Wire<typeof registeredWebhook>;

const webhook = closed(
  {
    /** Names it in other requests. */
    webhookId: text(),
    /** Where events are posted to. */
    url: text(),
    /** The types of events that are sent. */
    events: list(text()),
    createdAt: id<Timestamp>('ISO 8601.'),
    failures: count('Deliveries that failed in a row.'),
    /** First 8 hex digits of the SHA-256 of its secret, to tell secrets apart. */
    secretFingerprint: text(),
  },
  {
    /** Only events of runs that bear one of these are sent; absent when all are. */
    tags: list(text()),
    openUntil: id<Timestamp>('ISO 8601. Nothing is sent before.'),
  },
);
/** A webhook without its secret, and how its deliveries go. */
export type Webhook = Wire<typeof webhook>;
export const webhookPage = page(webhook);
