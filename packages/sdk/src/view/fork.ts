import type { Fork } from '@touchstone/protocol';

/** How a run hangs together with another one, as the end of a sentence; of a scorecard only that it does is known. */
export function forkWords({ source, mode, fromSeq }: Pick<Fork, 'source'> & Partial<Fork>): string {
  if (mode === 'replay') return `a replay of run ${source}: the same facts again.`;
  if (mode === undefined) return `a fork of run ${source}: it begins with its history.`;
  return `a branch of run ${source} from event ${fromSeq}${fromSeq === 0 ? ': all of it was run anew' : ''}.`;
}

export const forkNote = (fork: Fork): string => forkWords(fork).replace(/^a/, 'A');

/** What stands beside the state of a run in a list. */
export const forkMark = (fork: Fork | undefined): string => (fork ? ` (${fork.mode})` : '');
