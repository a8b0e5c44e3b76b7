import { PassThrough, Readable } from 'node:stream';
import type { Io, Out } from '../io.js';

const SILENT: Out = {
  write: () => undefined,
  writeCommand: () => undefined,
  rewriteLine: () => undefined,
  clearScreen: () => undefined,
  isTTY: false,
  columns: 80,
};

/** A program has the result as a value: nothing is written, and a signal of its own takes the place of Ctrl-C. */
export const programIo = (signal: AbortSignal | undefined): Io => ({
  stdout: SILENT,
  stderr: SILENT,
  readInput: async () => '',
  takeStdio: () => ({ stdin: Readable.from([]), stdout: new PassThrough() }),
  env: process.env,
  cwd: process.cwd(),
  now: () => Date.now(),
  every: () => () => undefined,
  onSignal(listener) {
    const stop = (): void => listener('SIGINT');
    if (signal?.aborted) queueMicrotask(stop);
    signal?.addEventListener('abort', stop, { once: true });
    return () => signal?.removeEventListener('abort', stop);
  },
  openBrowser: async () => false,
  exit: () => undefined,
});
