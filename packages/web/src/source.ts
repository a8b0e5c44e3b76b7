import type { SessionFacts } from '@touchstone/protocol';
import { type Client, createClient } from '@touchstone/sdk';
import { sessionFetch } from './session.js';

/** Where everything that is shown comes from: the host that serves this page. */
export const client: Client = createClient({
  baseUrl: location.origin,
  fetch: (url, init) => sessionFetch(url, init),
  // A page tells people at once, and tries again when they ask or by itself where it waits.
  retry: { attempts: 2, streamAttempts: 1 },
});

/** Who the caller is, and what it may do. */
export async function readSession(signal: AbortSignal): Promise<SessionFacts> {
  const response = await sessionFetch('/v1/host/touchstone/session', { signal });
  return response.json();
}
