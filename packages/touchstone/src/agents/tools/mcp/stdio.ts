import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { createDeferred } from '../../../net/index.js';
import type { Clock } from '../../../ports/index.js';
import type { McpLibrary } from './library.js';
import { ConnectionLost, NotDelivered, tooLarge } from './loss.js';
import type { StdioServerSpec } from './server-spec.js';

type StdioParts = {
  readonly library: McpLibrary;
  readonly clock: Clock;
  readonly baseDir: string;
  readonly maxMessageBytes: number;
  /** Told why the connection is about to close, when that is known. */
  readonly complain: (reason: string) => void;
};

const GRACE_MS = 2_000;
/** Its output ends with it; what is still open after this time is held by someone it left behind. */
const LINGER_MS = 250;
const isWindows = process.platform === 'win32';

/**
 * A server as a child process, one JSON message per line. The library has such a transport, but that one ends only the
 * process it started: a server behind `npx` or a shell would live on. This one starts a process group and ends it whole.
 */
export function createStdioTransport(spec: StdioServerSpec, parts: StdioParts): Transport {
  const received = new parts.library.ReadBuffer({ maxBufferSize: parts.maxMessageBytes });
  const ended = createDeferred<void>();
  let child: ChildProcess | undefined;

  function receive(chunk: Buffer): void {
    try {
      received.append(chunk);
    } catch {
      parts.complain(tooLarge(parts.maxMessageBytes));
      if (child) signalGroup(child, 'SIGKILL');
      return;
    }
    for (let message = nextMessage(received); message; message = nextMessage(received)) {
      transport.onmessage?.(message);
    }
  }

  const transport: Transport = {
    async start() {
      const started = start(spec, parts.baseDir);
      child = started;
      started.stdout?.on('data', receive);
      // A server that does not read its input closes the pipe; its end is reported by its exit.
      started.stdin?.on('error', () => undefined);
      started.once('exit', () => void letGo(started, ended.promise, parts.clock));
      started.once('close', () => {
        ended.resolve();
        transport.onclose?.();
      });
      await spawned(started);
    },
    async send(message) {
      const isRunning = child?.exitCode === null && child.signalCode === null;
      if (!isRunning || !child?.stdin?.writable) throw new NotDelivered('its process has ended');
      child.stdin.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      if (child?.pid === undefined) return;
      child.stdin?.end();
      await endGroup(child, ended.promise, parts.clock);
    },
  };
  return transport;
}

/** What cannot be read as a message is not one: servers do print other things. */
function nextMessage(received: InstanceType<McpLibrary['ReadBuffer']>): JSONRPCMessage | null {
  for (;;) {
    try {
      return received.readMessage();
    } catch {
      // The line is consumed; the next one may be a message.
    }
  }
}

/** What a program needs to start at all. Secrets of the host's own environment are not the server's. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TEMP', 'TMP', 'USERPROFILE', 'SYSTEMROOT', 'PATHEXT'];

function start(spec: StdioServerSpec, baseDir: string): ChildProcess {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return spawn(spec.command, spec.args ?? [], {
    cwd: resolve(baseDir, spec.cwd ?? '.'),
    env: { ...Object.fromEntries(inherited), ...spec.env },
    // What it complains about may quote what it was asked, so nobody listens.
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
    detached: !isWindows,
  });
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve());
    // Stays on: a signal that could not be sent is reported here as well, and nobody else would hear it.
    child.on('error', (error: NodeJS.ErrnoException) => {
      const hint = error.code === 'ENOENT' ? '; check its command and its cwd' : '';
      reject(new ConnectionLost(`its command could not be started (${error.code ?? 'unknown'})${hint}`));
    });
  });
}

/** Whoever it started goes with it, and its pipes are closed even if somebody else still holds them. */
async function letGo(child: ChildProcess, ended: Promise<void>, clock: Clock): Promise<void> {
  signalGroup(child, 'SIGKILL');
  if (await isOutlasted(ended, LINGER_MS, clock)) child.stdout?.destroy();
}

/** Asks first, then insists. */
async function endGroup(child: ChildProcess, ended: Promise<void>, clock: Clock): Promise<void> {
  signalGroup(child, 'SIGTERM');
  if (await isOutlasted(ended, GRACE_MS, clock)) signalGroup(child, 'SIGKILL');
  await ended;
}

/** Whether the time is over before the end has come. */
async function isOutlasted(ended: Promise<void>, ms: number, clock: Clock): Promise<boolean> {
  const over = new AbortController();
  ended.then(() => over.abort());
  return clock.sleep(ms, over.signal).then(
    () => true,
    () => false,
  );
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Nobody is left in the group.
  }
}
