import { HostUnreachable } from './errors.js';
import { backoffMs, pauseOrThrow, type Retry } from './retry.js';
import { createSseParser, type SseMessage } from './sse.js';

/** A stream of one run, opened as often as it takes. */
export type Feed = {
  /** Connects once, and asks for what comes after `lastEventId`. */
  open(lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Whether the run has ended, asked when the host closes a stream that has not said so itself. */
  isOver(): Promise<boolean>;
  /** Whether the reader knows of a message that has not come, such as the event every run ends with. */
  owesMore(): boolean;
};

/** How a feed is followed. */
export type FollowOptions = {
  /** When and how often a lost connection is opened again. */
  readonly retry: Retry;
  /** A connection silent for this long is taken for dead; hosts send a keepalive at least every 30 s. */
  readonly idleTimeoutMs: number;
  /** Where to begin; at the start when absent. */
  readonly lastEventId?: string;
  /** Ends the stream and throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Messages of one feed across as many connections as it takes. Each connection asks for what comes after the last
 * message that was handed on. The feed is over when a connection that was opened after the run had ended closes
 * cleanly and nothing is owed: such a connection has delivered everything there is. A proxy can make a cut look like a
 * clean close, therefore what is owed is known by the reader and not by the connection.
 */
export async function* follow(feed: Feed, options: FollowOptions): AsyncGenerator<SseMessage> {
  const { signal } = options;
  const retry = { ...options.retry, attempts: options.retry.streamAttempts };
  let lastEventId = options.lastEventId;
  let failures = 0;
  let quiet = 0;
  for (let overBefore = false; ; ) {
    try {
      quiet += 1;
      for await (const message of readConnection(feed, lastEventId, options)) {
        lastEventId = message.id ?? lastEventId;
        failures = 0;
        quiet = 0;
        yield message;
      }
      if (overBefore && !feed.owesMore()) return;
      overBefore = await feed.isOver();
      if (!overBefore) await retry.sleep(backoffMs(retry, quiet + 1), signal);
      else if (quiet > 0 && feed.owesMore()) throw new HostUnreachable('the event stream', 'closed early');
    } catch (error) {
      failures += 1;
      await pauseOrThrow(retry, error, failures, signal);
    }
  }
}

/** The messages of one connection, until it ends or is taken for dead. */
async function* readConnection(
  feed: Feed,
  lastEventId: string | undefined,
  options: FollowOptions,
): AsyncGenerator<SseMessage> {
  const connection = openConnection(options);
  try {
    const response = await feed.open(lastEventId, connection.signal);
    const parser = createSseParser();
    for await (const chunk of readChunks(response, connection.signal)) {
      connection.heard();
      yield* parser.push(chunk);
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  } finally {
    connection.close();
  }
}

/** One signal for the three ends of a connection: the caller's abort, silence, and a reader that is gone. */
function openConnection(options: FollowOptions) {
  const ending = new AbortController();
  const stop = (): void => ending.abort(options.signal?.reason);
  const silence = (): void => ending.abort(new HostUnreachable('the event stream', 'silence'));
  let timer = setTimeout(silence, options.idleTimeoutMs);
  if (options.signal?.aborted) stop();
  options.signal?.addEventListener('abort', stop, { once: true });
  return {
    signal: ending.signal,
    heard(): void {
      clearTimeout(timer);
      timer = setTimeout(silence, options.idleTimeoutMs);
    },
    close(): void {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', stop);
      ending.abort();
    },
  };
}

/** The bytes of one response, until the signal aborts. */
async function* readChunks(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return;
  // A pending read settles when the reader is cancelled, also where the platform's fetch is not the one in use.
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw signal.aborted ? signal.reason : new HostUnreachable('the event stream', error);
      });
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
