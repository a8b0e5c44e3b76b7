import type { ContractVerdict } from '@touchstone/protocol';
import type { Blessing } from '../../ports/index.js';

/** A blessing, and whether it is the one that counts. */
export type Marked = Blessing & {
  readonly current: boolean;
  /** Whether the run kept the contract of its suite, as far as there is one. */
  readonly contractVerdict?: ContractVerdict;
};

/** What a blessing is about: the latest one of a subject counts. */
const subjectOf = ({ suite, agent, judge }: Blessing): string =>
  JSON.stringify([suite.digest, agent.agentId, judge ?? null]);

/** Given newest first, as the store lists them. */
export function markCurrent(blessings: readonly Blessing[]): readonly Marked[] {
  const seen = new Set<string>();
  return blessings.map((blessing) => {
    const subject = subjectOf(blessing);
    const current = !seen.has(subject);
    seen.add(subject);
    return { ...blessing, current };
  });
}

/** Every blessing of the same suite, agent and judge, newest first, this one included. */
export const historyOf = (blessing: Blessing, all: readonly Marked[]): readonly Marked[] =>
  all.filter((other) => subjectOf(other) === subjectOf(blessing));
