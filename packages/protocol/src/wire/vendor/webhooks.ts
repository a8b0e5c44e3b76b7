import type { Timestamp } from '../../model/ids.js';
import { closed, count, id, list, set, text, type Wire } from '../schema/build.js';
import { page } from './parts.js';

/** A word of bounded length, not empty. */
const name = (maxLength: number) => text(undefined, { minLength: 1, maxLength });

/** Schema of the body of `POST /v1/webhooks`. */
export const webhookBody = closed(
  {
    /** Where the host posts events: https, a public address, at most 2048 characters. */
    url: text('Where events are posted to, by https.', { minLength: 1, maxLength: 2_048 }),
    /** Types of event, e.g. `run.completed`; 1 to 200. */
    events: set(name(128), 'Types of events, by name.', { minItems: 1, maxItems: 200 }),
  },
  {
    /** The caller's own tenant; any other is refused. May be left out. */
    tenantId: text("The caller's own tenant; it may as well be left out."),
    /** Only events of runs with one of these tags; of all runs when absent. */
    tags: set(name(256), 'Only of runs that bear one of these; default: of all runs.', {
      minItems: 1,
      maxItems: 100,
    }),
    /** The key of the signature: 32 to 256 printable ASCII characters. The host makes one when absent. */
    secret: text('32 to 256 printable ASCII characters; made here when left out.', {
      pattern: '^[\\x20-\\x7e]{32,256}$',
    }),
  },
);
/** Body of `POST /v1/webhooks`. */
export type NewWebhook = Wire<typeof webhookBody>;

/** Answer of `POST /v1/webhooks`. */
export const registeredWebhook = closed({
  /** The id of the webhook, for later requests. */
  webhookId: text(),
  /** Equal to `webhookId`; some clients of the protocol look for this name. */
  subscriptionId: text('The webhookId under its other name.'),
  /** The key of the signature. This answer shows it, and no later one does. */
  secret: text('Signs what is sent. Shown here and never again.'),
  /** The first 8 hex digits of the secret's SHA-256, to tell secrets apart. */
  secretFingerprint: text('First 8 hex digits of its SHA-256.'),
});
/** A new webhook with its secret. */
export type RegisteredWebhook = Wire<typeof registeredWebhook>;

const webhook = closed(
  {
    /** The id of the webhook, for other requests. */
    webhookId: text(),
    /** Where events are posted to. */
    url: text(),
    /** The types of events that are sent. */
    events: list(text()),
    /** When it was registered, ISO 8601. */
    createdAt: id<Timestamp>('ISO 8601.'),
    /** Deliveries that failed in a row; 0 after a success. */
    failures: count('Deliveries that failed in a row.'),
    /** First 8 hex digits of the SHA-256 of its secret, to tell secrets apart. */
    secretFingerprint: text(),
  },
  {
    /** Only events of runs that bear one of these are sent; absent when all are. */
    tags: list(text()),
    /** After repeated failures nothing is sent before this time, ISO 8601; absent while deliveries go out. */
    openUntil: id<Timestamp>('ISO 8601. Nothing is sent before.'),
  },
);
/** A webhook without its secret, and how its deliveries go. */
export type Webhook = Wire<typeof webhook>;
/** Answer of `GET …/webhooks`. */
export const webhookPage = page(webhook);
