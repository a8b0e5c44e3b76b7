import { asId, type RunId } from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClient } from './client.js';
import { HostUnreachable, RunFailed } from './errors.js';
import type { RunEvent } from './types.js';

const RUN = asId<RunId>('run-1');
const noWait = { sleep: async () => undefined, random: () => 0 };

/** How one connection ends: after so many bytes, by an error or by a close that looks clean. */
type Cut = { readonly bytes: number; readonly how: 'error' | 'close' | 'refuse' };

function event(sequence: number, type: string, text = ''): RunEvent {
  return { eventId: `${RUN}:${sequence}`, runId: RUN, type, payload: { text }, timestamp: 't', sequence };
}

const logOf = (texts: readonly string[]): RunEvent[] => [
  ...texts.map((text, sequence) => event(sequence, 'eval.scored', text)),
  event(texts.length, 'run.completed'),
];

/** Pretty-printed JSON becomes several `data:` lines, as a host behind a formatting proxy would send it. */
function render(events: readonly RunEvent[], newline: string, pretty: boolean): Uint8Array {
  const blocks = events.map((one) => {
    const data = JSON.stringify(one, null, pretty ? 1 : undefined).split('\n');
    return [
      `:keepalive`,
      `id: ${one.sequence}`,
      `event: ${one.type}`,
      ...data.map((line) => `data: ${line}`),
      '',
      '',
    ];
  });
  return new TextEncoder().encode(blocks.map((lines) => lines.join(newline)).join(''));
}

function bodyOf(bytes: Uint8Array, chunkSize: number, cut: Cut | undefined): ReadableStream<Uint8Array> {
  const sent = cut ? bytes.slice(0, cut.bytes) : bytes;
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      if (offset < sent.length) controller.enqueue(sent.slice(offset, offset + chunkSize));
      else if (cut?.how === 'error') controller.error(new Error('reset'));
      else controller.close();
      offset += chunkSize;
    },
  });
}

function hostOf(
  log: readonly RunEvent[],
  cuts: readonly Cut[],
  newline = '\n',
  chunkSize = 1000,
  pretty = false,
) {
  const asked: (string | undefined)[] = [];
  let connection = 0;
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    if (!url.includes('/events')) return Response.json({ runId: RUN, workflowId: 'w', status: 'completed' });
    const lastEventId = new Headers(init.headers).get('last-event-id') ?? undefined;
    asked.push(lastEventId);
    const cut = cuts[connection];
    connection += 1;
    if (cut?.how === 'refuse') throw new TypeError('connection refused');
    const after = lastEventId === undefined ? -1 : Number(lastEventId);
    const bytes = render(
      log.filter((one) => one.sequence > after),
      newline,
      pretty,
    );
    return new Response(bodyOf(bytes, chunkSize, cut));
  };
  return {
    asked,
    client: createClient({ baseUrl: 'http://host', fetch, retry: { ...noWait, streamAttempts: 99 } }),
  };
}

async function collect(stream: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const one of stream) events.push(one);
  return events;
}

describe('a stream of events', () => {
  // Goal: whatever the network does, a reader sees the log. Method: cut every connection at a random byte, in a random
  // way, split the rest into random chunks, and compare what was read with what the host holds.
  test('is the log, each event once and in order, however often the connection breaks', async () => {
    const cut = fc.record({
      bytes: fc.nat(600),
      how: fc.constantFrom('error' as const, 'close' as const, 'refuse' as const),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 8 }),
        fc.array(cut, { maxLength: 12 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (texts, cuts, newline, chunkSize, pretty) => {
          const log = logOf(texts);
          const { client } = hostOf(log, cuts, newline, chunkSize, pretty);
          expect(await collect(client.streamEvents(RUN))).toEqual(log);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('continues after the last whole event when a connection dies inside the next one', async () => {
    const log = logOf(['a', 'b']);
    const firstEvent = render(log.slice(0, 1), '\n', false).length;
    const { client, asked } = hostOf(log, [{ bytes: firstEvent + 20, how: 'error' }]);
    expect(await collect(client.streamEvents(RUN))).toEqual(log);
    expect(asked).toEqual([undefined, '0']);
  });

  test('starts after a given sequence', async () => {
    const log = logOf(['a', 'b', 'c']);
    const { client, asked } = hostOf(log, []);
    expect(await collect(client.streamEvents(RUN, { after: 1 }))).toEqual(log.slice(2));
    expect(asked).toEqual(['1']);
  });

  test('ends when the run is over and nothing is left to read', async () => {
    const log = logOf(['a']);
    const { client } = hostOf(log, []);
    expect(await collect(client.streamEvents(RUN, { after: 1 }))).toEqual([]);
  });

  test('a connection that falls silent is replaced', async () => {
    const log = logOf(['a']);
    let connections = 0;
    const fetch = async (): Promise<Response> => {
      connections += 1;
      return new Response(
        connections === 1 ? new ReadableStream() : bodyOf(render(log, '\n', false), 99, undefined),
      );
    };
    const client = createClient({ baseUrl: 'http://host', fetch, retry: noWait });
    expect(await collect(client.streamEvents(RUN, { idleTimeoutMs: 1 }))).toEqual(log);
    expect(connections).toBe(2);
  });

  test('gives up when no connection brings anything', async () => {
    let connections = 0;
    const fetch = async (): Promise<Response> => {
      connections += 1;
      throw new TypeError('refused');
    };
    const client = createClient({ baseUrl: 'http://host', fetch, retry: { ...noWait, streamAttempts: 3 } });
    await expect(collect(client.streamEvents(RUN))).rejects.toBeInstanceOf(HostUnreachable);
    expect(connections).toBe(3);
  });

  test('a refusal is thrown at once', async () => {
    const fetch = async (): Promise<Response> =>
      Response.json({ error: 'not_found', message: 'No such run.' }, { status: 404 });
    const client = createClient({ baseUrl: 'http://host', fetch, retry: noWait });
    await expect(collect(client.streamEvents(RUN))).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });

  test('an aborted reader gets its own reason and the connection is let go', async () => {
    const stop = new AbortController();
    let cancelled = false;
    const bytes = render(logOf(['a']).slice(0, 1), '\n', false);
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(bytes),
      cancel: () => {
        cancelled = true;
      },
    });
    const client = createClient({
      baseUrl: 'http://host',
      fetch: async () => new Response(body),
      retry: noWait,
    });
    const reason = new Error('enough');
    const reading = (async () => {
      for await (const _ of client.streamEvents(RUN, { signal: stop.signal })) stop.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    expect(cancelled).toBe(true);
  });
});

describe('waiting for the scorecard', () => {
  const waitOn = (snapshot: object, seen: string[]) => {
    const log = logOf(['a']);
    const fetch = async (url: string): Promise<Response> => {
      if (url.endsWith('/eval-summary')) return Response.json({ suiteId: 's', passed: true });
      if (!url.includes('/events')) return Response.json({ runId: RUN, workflowId: 'w', ...snapshot });
      return new Response(bodyOf(render(log, '\n', false), 50, undefined));
    };
    const client = createClient({ baseUrl: 'http://host', fetch, retry: noWait });
    return client.waitForScorecard(RUN, { onEvent: (one) => seen.push(one.type) });
  };

  test('answers with the summary and tells of every event', async () => {
    const seen: string[] = [];
    expect(await waitOn({ status: 'completed' }, seen)).toEqual({ suiteId: 's', passed: true });
    expect(seen).toEqual(['eval.scored', 'run.completed']);
  });

  test('a failed run throws its code', async () => {
    const error = { code: 'budget_exhausted', message: 'The ceiling is reached.' };
    const failure = waitOn({ status: 'failed', error }, []);
    await expect(failure).rejects.toBeInstanceOf(RunFailed);
    await expect(failure).rejects.toMatchObject({ code: 'budget_exhausted', status: 'failed', runId: RUN });
  });

  test('a cancelled run throws as well', async () => {
    await expect(waitOn({ status: 'cancelled' }, [])).rejects.toMatchObject({
      status: 'cancelled',
      code: undefined,
    });
  });
});
