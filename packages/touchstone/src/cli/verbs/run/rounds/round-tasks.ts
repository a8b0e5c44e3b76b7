import { createHash } from 'node:crypto';

/** Fewer tasks than this show next to nothing, and a round costs a look at everything before it. */
const LEAST = 16;
const ROUNDS = 10;

/** A tenth of the tasks, and not too few. */
export const usualRound = (tasks: number): number => Math.max(LEAST, Math.ceil(tasks / ROUNDS));

/**
 * The tasks of each round. Their order looks random and does not depend on any score, as the interval requires; it is
 * the same each time, so that two evaluations can be compared round by round.
 */
export function dealTasks(taskIds: readonly string[], suite: string, size: number): readonly string[][] {
  const placeOf = (taskId: string): string =>
    createHash('sha256').update(`${suite}\n${taskId}`).digest('hex');
  const shuffled = taskIds
    .map((taskId) => ({ taskId, place: placeOf(taskId) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ taskId }) => taskId);
  const rounds: string[][] = [];
  for (let at = 0; at < shuffled.length; at += size) rounds.push(shuffled.slice(at, at + size));
  return rounds;
}
