import { fork } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../ports/index.js';
import type { ModuleWorker } from '../../../threads/index.js';
import { closePipes, signalGroup } from '../../process-group.js';

const isWindows = process.platform === 'win32';

export type ModuleProcess = Omit<ModuleWorker, 'terminate'> & {
  isAlive(): boolean;
  terminate(): Promise<void>;
};

/**
 * A process for the code of an agent. V8 ends the whole process when it cannot allocate, whatever limit a thread has: so
 * this is what keeps an agent that uses too much memory from ending this host. `module-life.js` watches the limit.
 */
export function launchProcess(memoryMb: number, file: URL, clock: Clock): ModuleProcess {
  const child = fork(fileURLToPath(file), [], {
    execArgv: [...process.execArgv, `--max-old-space-size=${memoryMb}`],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
    // A group: what the agent starts is ended with it, and the terminal's Ctrl-C is for this host alone.
    detached: !isWindows,
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve()).once('error', () => resolve());
  });
  child.once('exit', () => void closePipes(child, closed, clock));
  return {
    // A process that could not be started has none.
    stdout: child.stdout ?? Readable.from([]),
    stderr: child.stderr ?? Readable.from([]),
    post(text) {
      // A process that is gone is told of by its end.
      if (child.connected) child.send(text, () => undefined);
    },
    listen({ message, gone }) {
      let crash: string | undefined;
      child.on('message', (text) => {
        if (isCrash(text)) crash = `The agent's process crashed: ${text.crashed}`;
        else message(text);
      });
      child.once('error', (error: NodeJS.ErrnoException) =>
        gone(`The agent's process could not be started (${error.code}).`),
      );
      child.once('exit', (code, signal) => gone(crash ?? whyEnded(code, signal, memoryMb)));
    },
    isAlive: () => child.connected,
    // Whose code is running is not known of another process.
    running: () => 0,
    async terminate() {
      signalGroup(child, 'SIGKILL');
      await closed;
    },
  };
}

const isCrash = (value: unknown): value is { readonly crashed: string } =>
  typeof value === 'object' && value !== null && 'crashed' in value && typeof value.crashed === 'string';

/** How V8 ends a process that is out of memory: by a signal, or by the status that a shell makes of it. */
const ABORTED = 134;

function whyEnded(code: number | null, signal: NodeJS.Signals | null, memoryMb: number): string {
  if (signal === 'SIGKILL' || signal === 'SIGABRT' || code === ABORTED)
    return `The agent's process was ended (${signal ?? code}): it has probably used more than its ${memoryMb} MB of memory (memoryMb).`;
  return signal === null
    ? `The agent ended its process (exit code ${code}).`
    : `The agent's process was ended by ${signal}.`;
}
