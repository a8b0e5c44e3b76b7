import {
  type Digest,
  type EventId,
  type Owner,
  type PrincipalId,
  parseReviewLabel,
  REVIEW_LABEL,
  type ReviewLabel,
  type RunId,
} from '@touchstone/protocol';
import type { EndedTask } from '@touchstone/protocol/tasks';
import type { LabelFilter, Store } from '../../ports/index.js';
import { taskFinder } from '../views/tasks/task-reviews.js';
import type { EvalRun, TaskTables } from '../views/tasks/task-table.js';
import { isEval } from '../views/tasks/task-table.js';
import { answersOf } from './answers.js';

/** What one person decided about one answer. */
export type Decision = {
  readonly run: EvalRun;
  readonly task: EndedTask;
  readonly answer: EventId;
  readonly by: PrincipalId;
  readonly at: number;
  readonly label: ReviewLabel;
};

type Parts = { readonly store: Store; readonly tables: TaskTables };
type Finder = { readonly run: EvalRun; readonly find: ReturnType<typeof taskFinder> };

/** The labels of reviewers in an owner's runs. Of several that a person gave to the same thing the latest counts. */
export async function readDecisions(
  parts: Parts,
  owner: Owner,
  filter: LabelFilter,
): Promise<readonly Decision[]> {
  const finders = new Map<RunId, Promise<Finder | undefined>>();
  const finderOf = (runId: RunId): Promise<Finder | undefined> => {
    const known = finders.get(runId) ?? openFinder(parts, owner, runId);
    finders.set(runId, known);
    return known;
  };
  const latest = new Map<string, Decision>();
  for (const annotation of await parts.store.annotations.labelled(owner, REVIEW_LABEL, filter)) {
    const { eventId: answer, runId, by, at } = annotation;
    const label = parseReviewLabel(annotation.signal.label ?? '');
    const finder = label && answer && (await finderOf(runId));
    const task = finder && answer && finder.find({ eventId: answer });
    if (!label || !answer || !finder || !task) continue;
    const subject = JSON.stringify([by, answer, label.criterion ?? null]);
    latest.set(subject, { run: finder.run, task, answer, by, at, label });
  }
  return [...latest.values()];
}

async function openFinder({ store, tables }: Parts, owner: Owner, runId: RunId): Promise<Finder | undefined> {
  const run = await store.runs.get(owner, runId);
  if (!run || !isEval(run)) return undefined;
  return { run, find: taskFinder(runId, await tables.of(run)) };
}

/** What a judge said about the criterion of a decision. */
export type JudgeVerdict = { readonly judge: Digest; readonly met: boolean; readonly costUsd?: number };

/** Undefined when no judge decided it. A task of one repeat has its verdicts in its result. */
export async function verdictOn(
  log: Pick<Store['log'], 'records'>,
  { run, task, answer, label }: Decision,
): Promise<JudgeVerdict | undefined> {
  const measured = run.plan.repeats === 1 ? task.result : await repeatOf(log, run, task, answer);
  const decided = measured?.criteria?.find(({ id }) => id === label.criterion);
  if (!measured?.judge || !decided || decided.unjudged) return undefined;
  const { judge, judgeUsd } = measured;
  return { judge, met: Number(decided.met) === 1, ...(judgeUsd !== undefined && { costUsd: judgeUsd }) };
}

async function repeatOf(log: Pick<Store['log'], 'records'>, run: EvalRun, task: EndedTask, answer: EventId) {
  const found = (await answersOf(log, run, task)).find(({ eventId }) => eventId === answer);
  const score = found?.record.score;
  return score && { criteria: score.criteria, judge: score.judge, judgeUsd: score.cost.judgeUsd };
}
