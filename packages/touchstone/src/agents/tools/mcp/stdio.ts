import type { ChildProcess, StdioOptions } from 'node:child_process';
import { resolve } from 'node:path';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { defined } from '@touchstone/protocol';
import { createDeferred } from '../../../net/index.js';
import type { Clock } from '../../../ports/index.js';
import { closePipes, endGroup, signalGroup, spawnGroup } from '../../process-group.js';
import type { McpLibrary } from './library.js';
import { ConnectionLost, NotDelivered, tooLarge } from './loss.js';
import type { StdioServerSpec } from './server-spec.js';

type StdioParts = {
  readonly library: McpLibrary;
  readonly clock: Clock;
  readonly baseDir: string;
  readonly maxMessageBytes: number;
  /** Called with the reason why the connection is about to close, when that is known. */
  readonly complain: (reason: string) => void;
};

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
      const { command, args, env, cwd = '.' } = spec;
      // What it writes to stderr may quote what it was asked, so it is not read.
      const stdio: StdioOptions = ['pipe', 'pipe', 'ignore'];
      const started = spawnGroup(defined({ command, args, env, cwd: resolve(parts.baseDir, cwd), stdio }));
      child = started;
      started.stdout?.on('data', receive);
      // A server that does not read its input closes the pipe; its end is reported by its exit.
      started.stdin?.on('error', () => undefined);
      started.once('exit', () => {
        signalGroup(started, 'SIGKILL');
        void closePipes(started, ended.promise, parts.clock);
      });
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
      await ended.promise;
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

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve());
    // Stays on: a signal that could not be sent is reported here as well.
    child.on('error', (error: NodeJS.ErrnoException) => {
      const hint = error.code === 'ENOENT' ? '; check its command and its cwd' : '';
      reject(new ConnectionLost(`its command could not be started (${error.code ?? 'unknown'})${hint}`));
    });
  });
}
