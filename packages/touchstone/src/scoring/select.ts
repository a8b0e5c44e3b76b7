import { HostError } from '@touchstone/contract';
import type { Task } from '@touchstone/contract/bodies';
import type { Scored, Scorer, Transcript } from '@touchstone/contract/ports';
import { scoreGolden } from './golden.js';

const goldenScorer: Scorer = (task: Task, transcript: Transcript): Scored => {
  const { expected } = task;
  const value =
    expected.kind === 'golden' && transcript.output !== undefined
      ? scoreGolden(expected.match, transcript.output)
      : 0;
  return { score: { kind: 'scored', value, findings: [] } };
};

/** The scorer for a task's kind. Rubric tasks are refused when the run is created, so meeting one here is a bug. */
export function selectScorer(task: Task): Scorer {
  if (task.expected.kind === 'golden') return goldenScorer;
  throw new HostError('internal_error', `No scorer for tasks of kind ${task.expected.kind}.`);
}
