import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { Io } from '../io.js';
import { main } from '../main.js';
import { createOut, isJob } from '../out.js';

export type TestCli = {
  readonly io: Io;
  readonly cwd: string;
  /** Runs one command line and tells what it wrote since the last one. */
  run(...argv: string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  /** Writes a file of the folder; an object as JSON on one line. */
  write(name: string, content: string | Buffer | object): void;
  read(name: string): string;
  has(name: string): boolean;
  readonly written: { out: string; err: string };
  /** Delivers a signal to whoever listens. */
  signal(name: 'SIGINT' | 'SIGTERM'): void;
  /** Resolves when stdout or stderr holds the text. */
  seen(text: string): Promise<void>;
  close(): void;
};

/** A CLI under test: temp folder, captured output, manual clock. */
export function openTestCli(
  options: {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly env?: Io['env'];
    readonly cwd?: string;
    readonly input?: string;
    readonly openBrowser?: Io['openBrowser'];
  } = {},
): TestCli {
  const cwd = options.cwd ?? mkdtempSync(join(tmpdir(), 'touchstone-cli-'));
  const written = { out: '', err: '' };
  const waiting = new Set<() => void>();
  const listeners = new Set<(signal: 'SIGINT' | 'SIGTERM') => void>();
  const screen = (name: 'out' | 'err') =>
    createOut({
      isTTY: options.isTTY ?? false,
      columns: options.columns ?? 80,
      get isJobLog() {
        return isJob(options.env ?? {});
      },
      write(text) {
        written[name] += text;
        for (const look of waiting) look();
      },
    });
  const io: Io = {
    stdout: screen('out'),
    stderr: screen('err'),
    readInput: async () => options.input ?? '',
    takeStdio: () => ({ stdin: Readable.from([]), stdout: new PassThrough() }),
    env: options.env ?? {},
    cwd,
    now: () => Date.now(),
    every: () => () => undefined,
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    openBrowser: options.openBrowser ?? (async () => false),
    exit: (code) => {
      throw new Error(`the process ended with ${code}`);
    },
  };
  return {
    io,
    cwd,
    written,
    write(name, content) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
      writeFileSync(join(cwd, name), isRaw ? content : JSON.stringify(content));
    },
    read: (name) => readFileSync(join(cwd, name), 'utf8'),
    has: (name) => existsSync(join(cwd, name)),
    async run(...argv) {
      const before = { ...written };
      const code = await main(argv, io);
      return { code, out: written.out.slice(before.out.length), err: written.err.slice(before.err.length) };
    },
    signal(name) {
      for (const listener of listeners) listener(name);
    },
    seen: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!written.out.includes(text) && !written.err.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () => rmSync(cwd, { recursive: true, force: true }),
  };
}
