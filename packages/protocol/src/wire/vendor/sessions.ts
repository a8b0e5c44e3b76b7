// Sign-ins of the page.
import type { Timestamp } from '../../model/ids.js';
import { closed, id, list, text, type Wire } from '../schema/build.js';

const when = id<Timestamp>('ISO 8601.');
const principal = text('Who the key belongs to.');
const scopes = list(text(), 'What the key may do; * is everything in its tenant.');

/** Answer of `POST …/session`. */
export const pageSession = closed({
  /** Sent as the header `Touchstone-Session` with every request; worthless without the cookie. */
  session: text('Sent as the header Touchstone-Session with every request; worthless without the cookie.'),
  /** Who the key belongs to. */
  principal,
  /** What the key may do. */
  scopes,
  /** When the session ends at the latest. */
  expiresAt: when,
});
/** A browser that has signed in. */
export type PageSession = Wire<typeof pageSession>;

/** Answer of `GET …/session`. */
export const sessionFacts = closed(
  {
    /** Whose data the caller sees. */
    tenant: text(),
    /** The part of the tenant. */
    workspace: text(),
    /** Who the key belongs to. */
    principal,
    /** The roles of the key. */
    roles: list(text()),
    /** What the key may do. */
    scopes,
    /** The host that answers. */
    host: closed({ version: text() }),
  },
  {
    /** When the session ends at the latest; absent for a caller with a key. */
    until: when,
  },
);
/** Who the caller is, and what it may do. */
export type SessionFacts = Wire<typeof sessionFacts>;
