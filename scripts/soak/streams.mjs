// Reads an event stream as slowly as one likes.
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** Opens the stream of a run; answers the response, or undefined when the host is gone. */
export const openStream = (host, key, runId, lastEventId) =>
  new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(lastEventId >= 0 && { 'last-event-id': String(lastEventId) }),
    };
    const sent = request(
      `${host.url}/v1/runs/${runId}/events?streamMode=debug`,
      { headers, agent: false },
      resolve,
    );
    sent.on('error', () => resolve(undefined)).end();
  });

/** The events of a response, with pauses of `delayMs`. Ends with the response, when that breaks off, and after `limitMs`. */
export async function* eventsOf(response, { delayMs = 0, limitMs = 60_000 } = {}) {
  let rest = '';
  const limit = setTimeout(() => response.destroy(), limitMs);
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop();
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (/^id: /m.test(block) && data) yield JSON.parse(data);
      }
      if (delayMs > 0) await pause(delayMs);
    }
  } catch {
    // The host was killed, or the time is over.
  } finally {
    clearTimeout(limit);
  }
}
