import { createClient } from '@touchstone/sdk';
import { lastNews, sessionFetch } from './session.js';
import type { Source } from './source.js';

/** The host that serves this page. */
export const hostSource = (): Source => ({
  client: createClient({
    baseUrl: location.origin,
    fetch: sessionFetch,
    // A page tells people at once, and tries again when they ask or by itself where it waits.
    retry: { attempts: 2, streamAttempts: 1 },
  }),
  async readSession(signal) {
    const response = await sessionFetch('/v1/host/touchstone/session', { signal });
    return response.json();
  },
  fetch: sessionFetch,
  lastNews,
  hasContent: true,
});
