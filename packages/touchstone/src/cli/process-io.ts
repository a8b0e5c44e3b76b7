import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import type { Io, Out } from './io.js';
import { createOut, isJob } from './out.js';
import { wordsOf } from './system-errors.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const DEFAULT_COLUMNS = 80;

/**
 * The real process. A reader that goes away (`| head`) is not written to any more, and ends nothing: what a command was
 * to do is done all the same, and its exit code says what came of it.
 */
export function processIo(): Io {
  return {
    stdout: outOf(process.stdout, endOfOutput),
    // Progress is for a person who watches; its reader may be gone.
    stderr: outOf(process.stderr, () => undefined),
    readInput,
    takeStdio,
    env: process.env,
    cwd: folderHere(),
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
    openBrowser,
    exit: (code) => process.exit(code),
  };
}

/** A folder that has been removed has no path any more, and nothing can be found from there. */
function folderHere(): string {
  try {
    return process.cwd();
  } catch {
    tellLast('error: the folder that this command was started in is gone. Change to one that exists.\n');
    return process.exit(3);
  }
}

const BROWSERS: { readonly [platform: string]: string } = { darwin: 'open', win32: 'explorer.exe' };

/** The program that opens addresses hands them over and ends; what it writes is not ours to show. */
const openBrowser = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const program = spawn(BROWSERS[process.platform] ?? 'xdg-open', [url], {
      stdio: 'ignore',
      detached: true,
    });
    program.unref();
    program.once('error', () => resolve(false));
    program.once('spawn', () => resolve(true));
  });

/** A reader that takes the output for complete must learn that it is not. */
function endOfOutput(error: NodeJS.ErrnoException): void {
  tellLast(`error: stdout cannot be written: ${wordsOf(error)}.\n`);
  process.exit(3);
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

/** An agent's thread, a configuration that is a program or a library may print; a reader of a protocol would stumble over it. */
function takeStdio(): ReturnType<Io['takeStdio']> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => void write(chunk, (error) => done(error)),
  });
  return { stdin: process.stdin, stdout };
}

type Fail = (error: NodeJS.ErrnoException) => void;

/** The callback of a write hears of an error before the event does, and so before the end of a command that waits for nothing. */
function outOf(stream: NodeJS.WriteStream, fail: Fail): Out {
  const closed = new AbortController();
  const close: Fail = (error) => {
    // A stream that has failed once says so of every write, in other words.
    if (!closed.signal.aborted && error.code !== 'EPIPE') fail(error);
    closed.abort();
  };
  stream.on('error', close);
  return createOut({
    write(text) {
      if (!closed.signal.aborted) stream.write(text, (error) => error && close(error));
    },
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.columns || DEFAULT_COLUMNS;
    },
    isJobLog: isJob(process.env),
    closed: closed.signal,
  });
}
