import { type Issue, isObject } from '@touchstone/protocol';
import { fromBody, parseCriterion, type Task } from '@touchstone/protocol/bodies';

/** Whether a task has a criterion that only a judge can decide. */
export const needsJudge = ({ expected }: Task): boolean =>
  expected.kind === 'rubric' &&
  expected.rubric.some(({ criterion }) => parseCriterion(String(fromBody(criterion))).kind === 'prose');

/** Criteria that begin as a check and are none, or ask for what a check cannot do. Their words are never repeated. */
export function criteriaIssues(rubric: unknown, pointer: string): readonly Issue[] {
  if (!Array.isArray(rubric)) return [];
  return rubric.flatMap((entry: unknown, index) => {
    if (!isObject(entry) || typeof entry.criterion !== 'string') return [];
    const parsed = parseCriterion(entry.criterion);
    return parsed.kind === 'malformed'
      ? [{ pointer: `${pointer}/${index}/criterion`, message: parsed.message }]
      : [];
  });
}
