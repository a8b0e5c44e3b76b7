import { describeDenial, type ReportedSlice } from '@touchstone/protocol';
import type { Failure } from './run-view.js';
import { percent } from './units.js';

/** `2 of 3 criteria met; not met: contains`; over repeats, those that were met in all of them. */
export function criteriaWords({ criteria }: Pick<Failure, 'criteria'>): string | undefined {
  if (!criteria) return undefined;
  const met = criteria.filter((one) => one.met === 1).length;
  const checks = [...new Set(criteria.flatMap(({ check }) => check ?? []))];
  const missed = checks.length === 0 ? '' : `; not met: ${checks.join(', ')}`;
  return `${met} of ${criteria.length} criteria met${missed}`;
}

/** One line of a report for each criterion, by its name. */
export const criterionReport = ({ criteria = [] }: Pick<Failure, 'criteria'>): string[] =>
  criteria.map(({ id, met, weight, agreement, value, check }) => {
    const verdict = met === 1 ? 'met' : met === 0 ? 'unmet' : `met in ${percent(met)} of repeats`;
    const votes = agreement === undefined ? '' : `, agreement ${Number(agreement.toPrecision(3))}`;
    const degree = value === undefined ? '' : `, degree ${Number(value.toPrecision(3))}`;
    return `${id}${check ? ` (${check})` : ''}: ${verdict}, weight ${weight}${degree}${votes}`;
  });

/** What kept a task from being scored by its answer, without a word of content. */
export function whyNot({
  unscored,
  denial,
  outcome,
}: Pick<Failure, 'unscored' | 'denial' | 'outcome'>): string | undefined {
  if (unscored) return `${UNSCORED_WORDS[unscored]}${denial ? `: ${describeDenial(denial)}` : ''}`;
  return outcome && { failed: 'the agent gave no valid answer', refused: 'the agent refused' }[outcome];
}

/** So many places are named; more do not help. */
const PLACES = 3;

/** `json-match differs at /total`. */
export function checkWords({ check }: Pick<Failure, 'check'>): string | undefined {
  if (!check) return undefined;
  const { name, pointers = [] } = check;
  const more = pointers.length > PLACES ? ' and more' : '';
  return pointers.length === 0
    ? `${name} not met`
    : `${name} differs at ${pointers.slice(0, PLACES).join(', ')}${more}`;
}

/** `UnscoredReason` as half a sentence. */
const UNSCORED_WORDS = {
  agent_denied: 'the agent could not be asked',
  judge_denied: 'the judge could not be asked',
  agent_unreachable: 'the agent could not be reached',
  judge_unreachable: 'the judge could not be reached',
  embedder_unreachable: 'the embedding model could not be reached',
  user_denied: 'the simulated user could not be asked',
  user_unreachable: 'the simulated user could not be reached',
  user_unreadable: 'the simulated user gave no readable answer',
  scorer_failed: 'a scorer failed or took too long',
  scorer_unreadable: 'a scorer gave back no score',
  no_answer: 'the file of answers has none for the task',
  judge_unreadable: 'the judge gave no readable verdict',
  check_over_limit: 'checking the answer took too long',
};

/** Looked at all at once and after the fact, so the weakest of them is weak by chance as often as not. */
export const EXPLORATORY = 'Parts of the suite, exploratory: they point somewhere and prove nothing.';

/** What fell most first, or else what is lowest. */
export const slicesInOrder = (slices: readonly ReportedSlice[]): readonly ReportedSlice[] =>
  [...slices].sort((a, b) => (a.scoreDelta ?? 0) - (b.scoreDelta ?? 0) || a.score - b.score);
