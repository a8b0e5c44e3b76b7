import {
  type CompareRuns,
  type CriterionId,
  type DisputedCriterion,
  type EvalPlan,
  HostError,
  type JudgeComparison,
  type Owner,
  type RunComparison,
  type RunId,
  type TaskId,
  type TaskResult,
} from '@touchstone/protocol';
import { fromBody, isJudged, parseCriterion, type Task } from '@touchstone/protocol/bodies';
import type { Run, Store, TaskRecord } from '../../ports/index.js';
import {
  agreementOn,
  createComparison,
  type MeasuredFacts,
  type SharedTasks,
  scoreOf,
  type VerdictPair,
} from '../../scorecard/index.js';
import type { Contracts } from '../catalogue/contracts.js';
import { ownerOfSuite, suiteByDigest } from '../catalogue/suite-catalogue.js';
import { readTaskEvaluators } from '../runs/task-criteria.js';
import { sharedTasks } from './common-tasks.js';
import { foldRuns, loadResults } from './fold-runs.js';
import type { Results } from './results.js';
import { type Measurement, measurementOf, type ResultSource } from './run-measurement.js';
import { recordsOf } from './task-view.js';

/** Two completed runs of an owner, task by task. A scorecard that was kept from a file stands for its run. Reads no body. */
export async function readComparison(
  source: ResultSource,
  owner: Owner,
  { before, after, ...options }: CompareRuns,
  tolerance: number,
): Promise<RunComparison> {
  const { store, results } = source;
  const [first, second] = [await find('before', before), await find('after', after)];
  const shared = await sharedBy(source, owner, first, second, options.common);
  const thresholds = await thresholdsOf(store, owner, second.facts);
  const { fold, sameTasks } = await foldRuns(results, first.from, second.from, () =>
    createComparison(first.facts, second.facts, { tolerance, ...options, shared, thresholds }),
  );
  return fold.result(sameTasks);

  async function find(member: string, runId: RunId) {
    const found = await measurementOf(source, owner, runId, `/${member}`);
    if (found) return found;
    throw new HostError('not_found', 'There is no such run to compare.', { field: member });
  }
}

/** Within one suite all tasks are shared, which is told where it is asked for. */
async function sharedBy(
  { store, results }: ResultSource,
  owner: Owner,
  before: Measurement,
  after: Measurement,
  common = false,
): Promise<SharedTasks | undefined> {
  if (!common && before.facts.suite.digest === after.facts.suite.digest) return undefined;
  const loaded = async ({ facts, from }: Measurement) => ({
    ...facts,
    results: await loadResults(results, from),
  });
  return sharedTasks(store, owner, await loaded(before), await loaded(after));
}

/** Of the suite that a run ran, or as the scorecard that came in a file says. */
const thresholdsOf = async (store: Store, owner: Owner, { imported, runId, suite }: MeasuredFacts) =>
  (imported ? await store.baselines.kept(owner, runId) : await suiteByDigest(store, owner, suite.digest))
    ?.thresholds;

type JudgeComparisonParts = {
  readonly store: Store;
  readonly results: Results;
  readonly contracts: Pick<Contracts, 'pinned'>;
};

/** What two judges made of the same answers: of a completed run, and of the run that judged it again. */
export async function readJudgeComparison(
  parts: JudgeComparisonParts,
  owner: Owner,
  before: RunId,
  after: RunId,
): Promise<JudgeComparison> {
  const [first, second] = [await evalRun(parts, owner, before), await evalRun(parts, owner, after)];
  const earlier = new Map((await parts.results.all(first)).map((result) => [result.taskId, result]));
  const both = (await parts.results.all(second)).flatMap((later) => {
    const known = earlier.get(later.taskId);
    return known ? [{ taskId: later.taskId, earlier: known, later }] : [];
  });
  const changed = both
    .map(({ taskId, ...pair }) => ({ taskId, before: scoreOf(pair.earlier), after: scoreOf(pair.later) }))
    .filter((one) => one.before.score !== one.after.score || one.before.unscored !== one.after.unscored);
  const scored = changed.filter((one) => !one.before.unscored && !one.after.unscored);
  const better = scored.filter((one) => one.after.score > one.before.score).length;
  const criteria = await comparedCriteria(parts, [first, second], both.filter(areJudged));
  return {
    tasks: {
      same: both.length - changed.length,
      better,
      worse: scored.length - better,
      unscored: changed.length - scored.length,
    },
    changed,
    verdicts: agreementOn(criteria.map(({ pair }) => pair)),
    disputed: disputedOf(criteria),
  };
}

type EvalRun = Run & { readonly plan: EvalPlan };

async function evalRun({ store }: JudgeComparisonParts, owner: Owner, runId: RunId): Promise<EvalRun> {
  const run = await store.runs.get(owner, runId);
  if (run?.plan.kind === 'eval') return run as EvalRun;
  throw new HostError('not_found', 'There is no such eval run.');
}

type ResultPair = { readonly taskId: TaskId; readonly earlier: TaskResult; readonly later: TaskResult };
const areJudged = ({ earlier, later }: ResultPair): boolean =>
  earlier.judge !== undefined && later.judge !== undefined;

/** What both judges decided about one criterion of one answer. */
type CriterionPair = Pick<DisputedCriterion, 'id' | 'example'> & { readonly pair: VerdictPair };

/** Criterion by criterion and repeat by repeat, only what a judge has decided: everything else does not depend on the judge. */
async function comparedCriteria(
  parts: JudgeComparisonParts,
  runs: readonly [EvalRun, EvalRun],
  tasks: readonly { readonly taskId: TaskId }[],
): Promise<readonly CriterionPair[]> {
  const { store } = parts;
  const [{ owner }, { plan }] = runs;
  const holder = await ownerOfSuite(store, owner, plan.suite.digest);
  const judgedIn = await openCriteria(parts, owner, plan);
  const compared: CriterionPair[] = [];
  for (const { taskId } of tasks) {
    const ordinal = holder && (await store.suites.ordinalOf(holder, plan.suite.digest, taskId));
    if (holder === undefined || ordinal === undefined) continue;
    const [task] = await store.suites.tasks(holder, plan.suite.digest, ordinal, 1);
    const judged = task ? judgedIn(task) : [];
    const [first, second] = runs;
    const others = recordsOf(store.log, owner, second.runId, ordinal);
    for await (const record of recordsOf(store.log, owner, first.runId, ordinal))
      compared.push(...compareRepeat(taskId, judged, record, (await others.next()).value));
  }
  return compared;
}

/** A criterion of a task that a judge decides. */
type JudgedCriterion = {
  /** Its place in the rubric of the task. */
  readonly position: number;
  /** How its verdict is found: by place, or under a contract by name, because verdicts that were not given are left out. */
  readonly key: number | string;
};
type JudgedCriteria = (task: Pick<Task, 'taskId' | 'expected'>) => readonly JudgedCriterion[];

const openCriteria = async (
  parts: JudgeComparisonParts,
  owner: Owner,
  plan: EvalPlan,
): Promise<JudgedCriteria> =>
  plan.contract === undefined ? proseIn : contractCriteria(parts, owner, plan, plan.contract);

const proseIn: JudgedCriteria = ({ expected }) =>
  (expected.kind === 'rubric' ? expected.rubric : []).flatMap(({ criterion }, position) =>
    isJudged(parseCriterion(String(fromBody(criterion)))) ? [{ position, key: position }] : [],
  );

/** Under a contract no sentence is a check: it says itself who decides. Without an embedder a judge compares meanings. */
async function contractCriteria(
  { contracts }: JudgeComparisonParts,
  owner: Owner,
  { embedder }: EvalPlan,
  digest: NonNullable<EvalPlan['contract']>,
): Promise<JudgedCriteria> {
  const criteriaOf = readTaskEvaluators((await contracts.pinned(owner, digest)).contract);
  return ({ taskId, expected }) =>
    criteriaOf(taskId).flatMap(({ criterion: { id }, evaluator }, position) => {
      const isThere = expected.kind === 'rubric' && expected.rubric[position] !== undefined;
      const isJudgedHere = evaluator === 'judge' || (evaluator === 'similarity' && embedder === undefined);
      return isThere && isJudgedHere ? [{ position, key: id }] : [];
    });
}

function compareRepeat(
  taskId: TaskId,
  judged: readonly JudgedCriterion[],
  first: TaskRecord,
  second: TaskRecord | undefined,
): readonly CriterionPair[] {
  if (!second || !wasJudged(first) || !wasJudged(second)) return [];
  return judged.flatMap(({ position, key }) => {
    const one = verdictIn(first, key);
    const other = verdictIn(second, key);
    if (!one || !other || one.unjudged || other.unjudged) return [];
    return [{ id: one.id, example: { taskId, position }, pair: { first: one.met, second: other.met } }];
  });
}

/** A judge is not asked about an answer that did not come. */
const wasJudged = ({ score, events }: TaskRecord): boolean =>
  score?.judge !== undefined && events.some(({ type }) => type === 'agent.decided');

const verdictIn = ({ score }: TaskRecord, key: JudgedCriterion['key']) =>
  typeof key === 'number' ? score?.criteria?.[key] : score?.criteria?.find(({ id }) => id === key);

function disputedOf(criteria: readonly CriterionPair[]): readonly DisputedCriterion[] {
  const counts = new Map<CriterionId, DisputedCriterion>();
  for (const { id, example, pair } of criteria) {
    const { compared, same, ...first } = counts.get(id) ?? { id, example, compared: 0, same: 0 };
    const equal = pair.first === pair.second ? 1 : 0;
    counts.set(id, { ...first, compared: compared + 1, same: same + equal });
  }
  return [...counts.values()]
    .filter(({ compared, same }) => same < compared)
    .sort((a, b) => a.same / a.compared - b.same / b.compared || (a.id < b.id ? -1 : 1));
}
