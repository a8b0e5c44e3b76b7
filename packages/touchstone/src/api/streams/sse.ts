import type { ServerResponse } from 'node:http';
import type { Clock } from '../../ports/index.js';
import type { Chunk, MakeChunk } from './output.js';

/** An open event stream to one reader. */
export type SseConnection = {
  /** Aborts when the reader has gone or the host is closing. */
  readonly signal: AbortSignal;
  /** Resolves when the reader has taken it. The writer waits for that, so a slow reader holds one page and no more. */
  write(chunk: Buffer | string): Promise<void>;
  /** The same for something that is made only when there is room for it; nothing is written when nothing is made. */
  writeNext(make: () => Promise<Buffer | string | undefined>): Promise<void>;
  /** Writes a comment if nothing has been written for a while, so that proxies do not give up. */
  keepAlive(): Promise<void>;
  end(): void;
};

const KEEP_ALIVE_MS = 15_000;
/** A reader that takes nothing for so long is cut off. */
export const MAX_STALL_MS = 60_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export function openSse(
  raw: ServerResponse,
  headers: { readonly [name: string]: string },
  clock: Pick<Clock, 'elapsed' | 'sleep'>,
  makeChunk: MakeChunk,
): SseConnection & { close(): void } {
  const gone = new AbortController();
  let writtenAt = clock.elapsed();
  raw.once('close', () => gone.abort());
  raw.on('error', () => gone.abort());
  if (raw.destroyed) gone.abort();
  raw.writeHead(200, { ...HEADERS, ...headers });
  raw.flushHeaders();

  const write = async (piece: Buffer | string): Promise<void> => {
    gone.signal.throwIfAborted();
    writtenAt = clock.elapsed();
    if (raw.write(piece)) return;
    if (!(await drained(raw, gone.signal, clock))) raw.destroy();
    gone.signal.throwIfAborted();
  };
  // In pieces also because a slow reader of a long page is then seen to take something.
  const send = async (chunk: Chunk): Promise<void> => {
    for await (const piece of chunk.pieces(gone.signal)) await write(piece);
  };
  const writeNext: SseConnection['writeNext'] = async (make) => {
    const chunk = await makeChunk(make, gone.signal);
    try {
      if (chunk) await send(chunk);
    } finally {
      chunk?.release();
    }
  };

  return {
    signal: gone.signal,
    write: (chunk) => writeNext(async () => chunk),
    writeNext,
    async keepAlive() {
      if (clock.elapsed() - writtenAt >= KEEP_ALIVE_MS) await write(':keepalive\n\n');
    },
    end: () => void raw.end(),
    /** From the host's side: the writer stops at its next step, then the stream ends in good order. */
    close: () => gone.abort(),
  };
}

/** Whether the reader took what was written, before it left and before patience ran out. */
function drained(raw: ServerResponse, gone: AbortSignal, clock: Pick<Clock, 'sleep'>): Promise<boolean> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const settle = (taken: boolean) => () => {
      raw.off('drain', onDrain);
      gone.removeEventListener('abort', onGone);
      over.abort();
      resolve(taken);
    };
    const onDrain = settle(true);
    const onGone = settle(true);
    raw.once('drain', onDrain);
    gone.addEventListener('abort', onGone);
    clock.sleep(MAX_STALL_MS, over.signal).then(settle(false), () => undefined);
  });
}
