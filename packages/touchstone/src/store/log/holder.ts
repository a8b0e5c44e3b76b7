import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

// A lease names its holder as `machine|pid|start`, so that another process can see that the holder was killed and need
// not wait for the lease to run out. `start` tells a process from a later one with its number.

/** The name under which this process holds leases. */
export function processHolder(): string {
  return [machine(), process.pid, processStart(process.pid) ?? ''].join('|');
}

/** True only when the holder was a process of this machine and surely is no more. */
export function isGone(holder: string): boolean {
  const [host, space, pid, start] = holder.split('|');
  if (pid === undefined || `${host}|${space}` !== machine() || !/^\d+$/.test(pid)) return false;
  if (!isAlive(Number(pid))) return true;
  const seen = processStart(Number(pid));
  return seen !== undefined && start !== '' && seen !== start;
}

/** Host and process-number space: containers may share a host name, but then they do not share their numbers. */
function machine(): string {
  return `${hostname().replaceAll('|', '')}|${orUndefined(() => readlinkSync('/proc/self/ns/pid')) ?? ''}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Ticks from boot to the process's start, or `ended` for one that only waits to be collected; Linux only. */
function processStart(pid: number): string | undefined {
  const stat = orUndefined(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name in brackets and may itself hold spaces and brackets.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields) return undefined;
  return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
