import { createHash } from 'node:crypto';
import type { CriterionVerdict } from '../../ports/index.js';

/** The criteria's places in the order one vote sees them. One vote alone sees them as they were written. */
export function orderOf(count: number, votes: number, seed: string): readonly number[] {
  const places = Array.from({ length: count }, (_, index) => index);
  if (votes === 1) return places;
  const draw = createDraw(seed);
  for (let last = count - 1; last > 0; last -= 1) {
    const chosen = draw(last + 1);
    [places[last], places[chosen]] = [places[chosen] as number, places[last] as number];
  }
  return places;
}

/** Whole numbers below a bound, from a seed. Hashing is slow and plainly fair, and a rubric has few criteria. */
function createDraw(seed: string): (below: number) => number {
  let drawn = 0;
  return (below) => {
    const digest = createHash('sha256').update(`${seed}#${drawn++}`).digest();
    return Math.floor((digest.readUIntBE(0, 6) / 2 ** 48) * below);
  };
}

/** What the votes come to for one criterion: the majority, a tie being unmet, with a reason of the side that won. */
export function majority(votes: readonly CriterionVerdict[]): CriterionVerdict {
  const [only] = votes;
  if (votes.length === 1 && only) return only;
  const yes = votes.filter(({ met }) => met).length;
  const met = yes * 2 > votes.length;
  const scores = votes.flatMap(({ score }) => (score === undefined ? [] : [score]));
  const reason = votes.find((vote) => vote.met === met)?.reason;
  return {
    met,
    agreement: Math.max(yes, votes.length - yes) / votes.length,
    ...(scores.length > 0 && { score: scores.reduce((sum, score) => sum + score, 0) / scores.length }),
    ...(reason !== undefined && { reason }),
  };
}
