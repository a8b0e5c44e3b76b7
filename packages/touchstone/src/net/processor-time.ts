import { readFileSync } from 'node:fs';

/** The processor time of a thread of this process, by default of the one that asks; undefined where the system does not tell. */
export function processorMs(thread?: number): number | undefined {
  const folder = thread === undefined ? '/proc/thread-self' : `/proc/self/task/${thread}`;
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return undefined;
  }
}
