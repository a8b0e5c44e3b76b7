import {
  type CriterionId,
  defined,
  type JudgeAgreement,
  type JudgeAgreements,
  type JudgeIdentity,
  type Owner,
} from '@touchstone/protocol';
import type { LabelFilter } from '../../ports/index.js';
import { type JudgedLabel, measureLabels } from '../../scorecard/index.js';
import type { TaskSources } from '../views/task-view.js';
import type { TaskTables } from '../views/tasks/task-table.js';
import type { Decision, JudgeVerdict } from './decisions.js';
import { judgedDecisions } from './judged-decisions.js';

export type AgreementQuery = Omit<LabelFilter, 'runId'> & { readonly judge?: string | undefined };

type Parts = { readonly sources: TaskSources; readonly tables: TaskTables };
type JudgeLabels = {
  readonly identity: JudgeIdentity;
  readonly labels: JudgedLabel[];
  readonly costs: Map<string, number>;
};

/** How far judges agree with the labels of people. Checks are left out: they would agree with any judge. */
export async function readAgreements(
  parts: Parts,
  owner: Owner,
  { judge, ...filter }: AgreementQuery,
): Promise<JudgeAgreements> {
  const judges = new Map<string, JudgeLabels>();
  for await (const { decision, criterion, verdict, identity } of judgedDecisions(parts, owner, filter)) {
    if (judge !== undefined && judge !== verdict.judge) continue;
    const one: JudgeLabels = judges.get(verdict.judge) ?? { identity, labels: [], costs: new Map() };
    judges.set(verdict.judge, one);
    one.labels.push(judgedLabel(decision, criterion, verdict));
    if (verdict.costUsd !== undefined) one.costs.set(decision.answer, verdict.costUsd);
  }
  const found = [...judges.values()].sort((a, b) => b.labels.length - a.labels.length);
  return { judges: found.map(agreementOf) };
}

const judgedLabel = (
  { run, task, answer, by, at, label }: Decision,
  criterion: CriterionId,
  { met }: JudgeVerdict,
): JudgedLabel => ({
  runId: run.runId,
  taskId: task.result.taskId,
  answer,
  criterion,
  by,
  at,
  person: label.verdict === 'met',
  judge: met,
  blind: !label.seen,
});

/** An answer was judged once, however many people looked at it. */
function agreementOf({ identity, labels, costs }: JudgeLabels): JudgeAgreement {
  const { digest, provider, model, votes, mock } = identity;
  const costUsd = costs.size === 0 ? undefined : [...costs.values()].reduce((sum, cost) => sum + cost, 0);
  return { digest, provider, model, votes, ...measureLabels(labels), ...defined({ mock, costUsd }) };
}
