import type { CriterionResult, TaskResult } from '@touchstone/protocol';
import type { TaskRecord } from '../ports/index.js';
import { explanation } from './content.js';
import { type RecordFacts, type RunFacts, recordRef, sharedAttributes } from './invocation-spans.js';
import { ATTRIBUTES as A, SCORE } from './names.js';
import type { Attributes, ResultSignal } from './signals.js';

/** One for each criterion of each repeat, under the invocation that it is about. */
export function criterionResults(
  run: RunFacts,
  record: TaskRecord,
  facts: RecordFacts,
): readonly ResultSignal[] {
  const place = recordRef(run, record);
  const at = record.events.at(-1)?.at ?? 0;
  return (record.score?.criteria ?? []).map((criterion, index) => ({
    of: place,
    at,
    attributes: {
      ...sharedAttributes(run, facts, record.repeat),
      ...criterionAttributes(criterion),
      ...explanation(facts.content?.reasons[index]),
    },
  }));
}

const criterionAttributes = ({ id, met, value, unjudged }: CriterionResult): Attributes => ({
  [A.evaluation]: id,
  [A.scoreLabel]: met ? 'met' : 'unmet',
  [A.scoreValue]: value ?? (met ? 1 : 0),
  ...(unjudged !== undefined && { [A.errorType]: unjudged }),
});

/** The one of the task. It is about all repeats, and stands under the last of them. */
export function taskResult(
  run: RunFacts,
  result: TaskResult,
  last: TaskRecord,
  at: number,
  facts: RecordFacts,
): ResultSignal {
  const { unscored, passed, score } = result;
  return {
    of: recordRef(run, last),
    at,
    attributes: {
      ...sharedAttributes(run, facts),
      [A.evaluation]: SCORE,
      ...(unscored === undefined
        ? { [A.scoreValue]: score, [A.scoreLabel]: passed ? 'pass' : 'fail' }
        : { [A.scoreLabel]: 'unscored', [A.errorType]: unscored }),
      ...explanation(facts.content?.reason),
    },
  };
}
