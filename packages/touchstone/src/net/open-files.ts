import { readFileSync } from 'node:fs';

/** Assumed where the limit cannot be read. Node raises its own limit as far as it may, so the real one is usually higher. */
const UNKNOWN = 4096;

/** How many files and sockets this process may have open at a time: `ulimit -n`. */
function readLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? UNKNOWN : Number(limit);
  } catch {
    return UNKNOWN;
  }
}

/** How the open files of a process are shared out. What is left over is for the store and everything else. */
export type OpenFiles = {
  /** Tasks at work. A task holds three at most: the pipes of a command, or the connections to agent, tool and judge. */
  readonly tasks: number;
  /** Connections that are kept open for the next request. */
  readonly idleConnections: number;
  /** Connections that callers of a host hold. */
  readonly callers: number;
};

const FILES_OF_A_TASK = 3;
/** Each takes some kilobytes of memory, too. */
const MOST_CALLERS = 10_000;

export const shareOpenFiles = (limit = readLimit()): OpenFiles => ({
  tasks: Math.max(2, Math.floor((limit * 0.6) / FILES_OF_A_TASK)),
  idleConnections: Math.floor(limit / 8),
  callers: Math.max(2, Math.min(MOST_CALLERS, Math.floor(limit / 5))),
});
