import type { CriterionId, EventId, Owner, RunId, TaskId } from '@touchstone/protocol';
import type { LabelDifferences } from '../../scorecard/index.js';
import type { TaskSources } from '../views/task-view.js';
import type { TaskTables } from '../views/tasks/task-table.js';
import { taskReader } from './answers.js';
import { type Decision, readDecisions, verdictOn } from './decisions.js';

type Parts = { readonly sources: TaskSources; readonly tables: TaskTables };

/** One answer that people labelled: by criterion, what they said and what the judge said. */
type LabelledAnswer = {
  readonly decision: Decision;
  readonly people: Map<CriterionId, number[]>;
  readonly judge: Map<CriterionId, number>;
};

/**
 * What people would have added to the scores of tasks whose judged criteria they labelled all, before they saw the judge.
 * Of several people the mean counts, of several answers to a task too. Reads no answer.
 */
export async function readLabelDifferences(
  { sources, tables }: Parts,
  owner: Owner,
  runId: RunId,
): Promise<LabelDifferences> {
  const { store } = sources;
  const answers = new Map<EventId, LabelledAnswer>();
  for (const decision of await readDecisions({ store, tables }, owner, { runId })) {
    const { answer, label, run } = decision;
    if (label.seen || label.criterion === undefined || run.plan.contract) continue;
    const verdict = await verdictOn(store.log, decision);
    if (!verdict) continue;
    const one = answers.get(answer) ?? { decision, people: new Map(), judge: new Map() };
    answers.set(answer, one);
    const said = one.people.get(label.criterion) ?? [];
    one.people.set(label.criterion, [...said, label.verdict === 'met' ? 1 : 0]);
    one.judge.set(label.criterion, verdict.met ? 1 : 0);
  }
  return differencesOf(sources, [...answers.values()]);
}

async function differencesOf(
  sources: TaskSources,
  answers: readonly LabelledAnswer[],
): Promise<LabelDifferences> {
  const readTask = taskReader(sources);
  const byTask = new Map<TaskId, number[]>();
  for (const answer of answers) {
    const { run, task } = answer.decision;
    const criteria = (await readTask(run, task.ordinal))?.criteria.filter(({ judged }) => judged) ?? [];
    if (criteria.some(({ id }) => !answer.people.has(id))) continue;
    const difference = differenceOf(answer);
    if (difference === undefined) continue;
    byTask.set(task.result.taskId, [...(byTask.get(task.result.taskId) ?? []), difference]);
  }
  return new Map([...byTask].map(([taskId, all]) => [taskId, meanOf(all)]));
}

/** Undefined where the score is more than its criteria: one that a finding has capped stays what it is. */
function differenceOf({ decision, people, judge }: LabelledAnswer): number | undefined {
  const { criteria = [], score } = decision.task.result;
  const weights = criteria.reduce((sum, { weight }) => sum + weight, 0);
  const met = criteria.reduce((sum, one) => sum + one.weight * one.met, 0) / weights;
  if (!(Math.abs(met - score) < 1e-9)) return undefined;
  return criteria.reduce((sum, { id, weight }) => {
    const said = people.get(id);
    return said ? sum + (weight / weights) * (meanOf(said) - (judge.get(id) ?? 0)) : sum;
  }, 0);
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
