import { Readable } from 'node:stream';
import type { Clock } from '../ports/index.js';

/** How much of a refused body is read and dropped, and for how long. */
const DROPPED_BYTES = 64 * 1024 * 1024;
const DROPPED_MS = 10_000;

type Sleeping = Pick<Clock, 'sleep'>;

/**
 * An answer to a request whose body is not wanted. It goes out at once, and ends when the caller has sent its body or
 * enough of it: closing a connection on a caller that still writes resets it, and the caller sees no answer then.
 */
export const answerOverBody = (answer: string, body: Readable, clock: Sleeping): Readable =>
  Readable.from(outlast(answer, body, clock), { objectMode: false });

async function* outlast(answer: string, body: Readable, clock: Sleeping): AsyncGenerator<string> {
  yield answer;
  await dropped(body, clock);
}

/** Resolves when the body has ended, or so much of it has come, or so long was waited for it. */
export function dropped(body: Readable, clock: Sleeping, maxBytes = DROPPED_BYTES): Promise<void> {
  if (body.readableEnded || body.destroyed) return Promise.resolve();
  const enough = new AbortController();
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= maxBytes) return;
    // At once: a body that is at hand would come whole before the wait is over.
    body.pause();
    enough.abort();
  };
  const end = (): void => enough.abort();
  body.on('data', count).once('end', end).once('close', end).once('error', end).resume();
  const waited = clock.sleep(DROPPED_MS, enough.signal).catch(() => undefined);
  return waited.then(() => void body.off('data', count).pause());
}
