import { writeSync } from 'node:fs';
import type { Io, Out } from './io.js';
import { wordsOf } from './system-errors.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const DEFAULT_COLUMNS = 80;

/** The real process. A reader that goes away (`| head`) ends it quietly rather than with a stack trace. */
export function processIo(): Io {
  return {
    stdout: outOf(process.stdout, endOfOutput),
    stderr: outOf(process.stderr, (error) => process.exit(exitOf(error))),
    readInput,
    env: process.env,
    cwd: process.cwd(),
    now: () => Date.now(),
    every(ms, tick) {
      const timer = setInterval(tick, ms);
      timer.unref();
      return () => clearInterval(timer);
    },
    onSignal(listener) {
      for (const signal of SIGNALS) process.on(signal, listener as NodeJS.SignalsListener);
      return () => {
        for (const signal of SIGNALS) process.off(signal, listener as NodeJS.SignalsListener);
      };
    },
    exit: (code) => process.exit(code),
  };
}

const exitOf = ({ code }: NodeJS.ErrnoException): number => (code === 'EPIPE' ? 0 : 3);

/** Whoever takes what came out for all of it must be told that it is not. */
function endOfOutput(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') tellLast(`error: stdout cannot be written: ${wordsOf(error)}.\n`);
  process.exit(exitOf(error));
}

/** Written at once: nothing that is queued survives the end of the process. */
function tellLast(line: string): void {
  try {
    writeSync(process.stderr.fd, line);
  } catch {
    // There is nowhere left to say it.
  }
}

async function readInput(most: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

type Fail = (error: NodeJS.ErrnoException) => void;

/** The callback of a write hears of an error before the event does, and so before the end of a command that waits for nothing. */
function outOf(stream: NodeJS.WriteStream, fail: Fail): Out {
  stream.on('error', fail);
  return {
    write: (text) => void stream.write(text, (error) => error && fail(error)),
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.columns || DEFAULT_COLUMNS;
    },
  };
}
