import { type CriterionId, type EvalPlan, HOST_OWNER, type RunId, type TaskId } from '@touchstone/protocol';
import { fromBody, parseCriterion, type Task } from '@touchstone/protocol/bodies';
import type { LocalTouchstone } from '../../app/index.js';
import type { TaskRecord } from '../../ports/index.js';
import { LOCAL_OWNER } from '../local.js';
import { sentenceOf } from '../verbs/run/collect-result.js';
import type { Pair } from './agreement.js';

/** What both judges decided about one criterion of one answer. */
export type ComparedCriterion = { readonly id: CriterionId; readonly sentence: string; readonly pair: Pair };

type JudgedTask = { readonly taskId: TaskId; readonly ordinal: number };

/** Criterion by criterion and repeat by repeat, only what a judge has decided: all else comes out the same whoever judges. */
export async function comparedCriteria(
  touchstone: LocalTouchstone,
  before: RunId,
  after: RunId,
  tasks: readonly JudgedTask[],
): Promise<readonly ComparedCriterion[]> {
  const { log } = touchstone.store;
  const askedAbout = await openQuestions(touchstone, after);
  const compared: ComparedCriterion[] = [];
  for (const { taskId, ordinal } of tasks) {
    const view = await touchstone.viewTask(LOCAL_OWNER, after, taskId);
    if (!view) continue;
    const asked = askedAbout(view);
    const [first, second] = await Promise.all(
      [before, after].map((runId) => log.records(LOCAL_OWNER, runId, ordinal)),
    );
    for (const [repeat, record] of (first ?? []).entries())
      compared.push(...compareRepeat(asked, record, second?.[repeat]));
  }
  return compared;
}

/** A criterion of a task that a judge decides. */
type Asked = {
  readonly sentence: string;
  /** Where its verdict stands; the name of one under a contract, from which advice that nobody gave is left out. */
  readonly at: number | string;
};
type Questions = (task: Pick<Task, 'taskId' | 'expected'>) => readonly Asked[];

async function openQuestions(touchstone: LocalTouchstone, runId: RunId): Promise<Questions> {
  const run = await touchstone.store.runs.get(LOCAL_OWNER, runId);
  const plan = run?.plan.kind === 'eval' ? run.plan : undefined;
  return plan?.contract === undefined ? proseOf : contractQuestions(touchstone, plan, plan.contract);
}

const proseOf: Questions = ({ expected }) =>
  (expected.kind === 'rubric' ? expected.rubric : []).flatMap(({ criterion }, at) =>
    parseCriterion(String(fromBody(criterion))).kind === 'prose'
      ? [{ sentence: sentenceOf(criterion), at }]
      : [],
  );

/** Under a contract no sentence is a check: it says itself who decides. Without an embedder a judge compares meanings. */
async function contractQuestions(
  { store }: LocalTouchstone,
  { embedder }: EvalPlan,
  digest: NonNullable<EvalPlan['contract']>,
): Promise<Questions> {
  const { readTaskEvaluators } = await import('../../app/index.js');
  const pinned =
    (await store.suites.contract(LOCAL_OWNER, digest)) ?? (await store.suites.contract(HOST_OWNER, digest));
  if (!pinned) return () => [];
  const criteriaOf = readTaskEvaluators(pinned.contract);
  return ({ taskId, expected }) =>
    criteriaOf(taskId).flatMap(({ criterion: { id }, evaluator }, at) => {
      const words = expected.kind === 'rubric' ? expected.rubric[at]?.criterion : undefined;
      const isAsked = evaluator === 'judge' || (evaluator === 'similarity' && embedder === undefined);
      return words !== undefined && isAsked ? [{ sentence: String(fromBody(words)), at: id }] : [];
    });
}

function compareRepeat(
  asked: readonly Asked[],
  first: TaskRecord,
  second: TaskRecord | undefined,
): readonly ComparedCriterion[] {
  if (!second || !isJudged(first) || !isJudged(second)) return [];
  return asked.flatMap(({ sentence, at }) => {
    const one = verdictIn(first, at);
    const other = verdictIn(second, at);
    if (!one || !other || one.unjudged || other.unjudged) return [];
    return [{ id: one.id, sentence, pair: { first: one.met, second: other.met } }];
  });
}

/** Nobody was asked about an answer that did not come. */
const isJudged = ({ score, events }: TaskRecord): boolean =>
  score?.judge !== undefined && events.some(({ type }) => type === 'agent.decided');

const verdictIn = ({ score }: TaskRecord, at: Asked['at']) =>
  typeof at === 'number' ? score?.criteria?.[at] : score?.criteria?.find(({ id }) => id === at);
