import {
  asId,
  type ContractReport,
  type EvalPlan,
  type EvalReport,
  type EvalSummary,
  type Finding,
  HOST_OWNER,
  plannedSteps,
  type RunId,
  SEVERITIES,
  type TaskId,
  type TaskResult,
  type Thresholds,
} from '@touchstone/protocol';
import { type Body, type Expected, fromBody, parseCriterion } from '@touchstone/protocol/bodies';
import { percentile } from '@touchstone/sdk';
import type { LocalTouchstone, TaskView } from '../../../app/index.js';
import type { Run, StepResult } from '../../../ports/index.js';
import type { EvalRun } from '../../find-run.js';
import { LOCAL_OWNER } from '../../local.js';
import { uncomparedOf } from '../../origin.js';
import {
  type CriterionBody,
  type Failure,
  type FailureBodies,
  type FindingCount,
  type RunView,
  reported,
} from './result.js';

const PAGE = 1000;

export type Collecting = {
  readonly interrupted?: boolean;
  /** For how many failures, from the first, what was expected and what came is read as well. */
  readonly bodies: number;
  readonly now: number;
  readonly conclusive?: true;
  /** Held against this run instead of its own baseline. */
  readonly against?: RunId;
  readonly allowJudgeMismatch?: boolean;
};

/** Folds what a run's log holds into one value. Nothing is remembered from the run itself. */
export async function collectResult(
  touchstone: LocalTouchstone,
  run: EvalRun,
  collecting: Collecting,
): Promise<RunView> {
  const results = await readResults(touchstone, run.runId);
  const { failures, counts, ...folded } = foldResults(results);
  const uncompared = uncomparedOf(run);
  return {
    runId: run.runId,
    status: run.status,
    interrupted: collecting.interrupted ?? false,
    suite: run.plan.suite,
    agent: run.plan.agent,
    summary: await readSummary(touchstone, run),
    ...(run.error && { error: run.error }),
    thresholds: await readThresholds(touchstone, run),
    counts: { total: run.plan.totalTasks, selected: plannedSteps(run.plan), ...counts },
    failures: await addBodies(touchstone, run.runId, failures, collecting.bodies),
    ...folded,
    repeats: run.plan.repeats,
    wallMs: Math.max(
      0,
      (run.completedAt ?? collecting.now) - (run.startedAt ?? run.createdAt) - run.pausedMs,
    ),
    ...judgeFacts(run.plan),
    ...(run.plan.model && { model: run.plan.model }),
    ...(run.plan.modes.includes('live-shadow') && { nondeterministic: true }),
    ...reported(await readReport(touchstone, run, results, collecting), collecting.now),
    ...(await readContract(touchstone, run)),
    ...(collecting.conclusive && { conclusive: true }),
    ...(run.plan.fork && { fork: run.plan.fork }),
    ...(collecting.against === undefined && uncompared !== undefined && { uncompared }),
  };
}

/** Only a completed run has one. */
async function readReport(
  touchstone: LocalTouchstone,
  { runId, status }: Run,
  results: readonly TaskResult[],
  { against, allowJudgeMismatch = false }: Collecting,
): Promise<EvalReport | undefined> {
  if (status !== 'completed') return undefined;
  const options = { ...(against && { against }), allowJudgeMismatch, results };
  return touchstone.report(LOCAL_OWNER, runId, options);
}

async function readContract(
  touchstone: LocalTouchstone,
  { runId, status, plan }: EvalRun,
): Promise<{ readonly contract?: ContractReport }> {
  if (status !== 'completed' || plan.contract === undefined) return {};
  return { contract: await touchstone.contractReport(LOCAL_OWNER, runId) };
}

/** What the log holds of every finished task, page by page. */
export async function* resultPages(
  { store }: Pick<LocalTouchstone, 'store'>,
  runId: RunId,
): AsyncGenerator<readonly StepResult[]> {
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.log.results(LOCAL_OWNER, runId, offset, PAGE);
    yield page;
    if (page.length < PAGE) return;
  }
}

const judgeFacts = ({
  judge,
  safetyJudge,
  rejudgeOf,
}: EvalPlan): Pick<RunView, 'judge' | 'safetyJudge' | 'rejudgeOf'> => ({
  ...(judge && { judge }),
  ...(safetyJudge && { safetyJudge }),
  ...(rejudgeOf && { rejudgeOf }),
});

/** The log is in suite order but for gaps a pause left and a resume filled; people get the suite's order. */
async function readResults(
  touchstone: Pick<LocalTouchstone, 'store'>,
  runId: RunId,
): Promise<readonly TaskResult[]> {
  const rows: StepResult[] = [];
  for await (const page of resultPages(touchstone, runId)) for (const row of page) rows.push(row);
  return rows.sort((a, b) => a.ordinal - b.ordinal).map(({ result }) => result);
}

function foldResults(results: readonly TaskResult[]) {
  const failures: Failure[] = [];
  const rubrics: Rubric[] = [];
  const findings = createFindingCount();
  const latencies: number[] = [];
  let passed = 0;
  let costUsd: number | undefined;
  let judgeUsd: number | undefined;
  let unpriced = 0;
  let cacheHits = 0;
  for (const result of results) {
    if (result.passed) passed += 1;
    else failures.push(failureOf(result));
    if (result.latencyMs !== undefined) latencies.push(result.latencyMs);
    findings.add(result.taskId, result.findings);
    if (result.criteria) rubrics.push({ taskId: result.taskId, criteria: result.criteria });
    if (result.costUsd !== undefined) costUsd = (costUsd ?? 0) + result.costUsd;
    if (result.judgeUsd !== undefined) judgeUsd = (judgeUsd ?? 0) + result.judgeUsd;
    unpriced += result.unpriced ?? 0;
    cacheHits += result.cacheHits ?? 0;
  }
  const unscored = failures.filter((failure) => failure.unscored).map((failure) => failure.taskId);
  latencies.sort((a, b) => a - b);
  return {
    counts: { passed, failed: failures.length - unscored.length, unscored: unscored.length },
    failures,
    unscored,
    unpriced,
    ...(costUsd !== undefined && { costUsd }),
    ...(judgeUsd !== undefined && { judgeUsd }),
    ...(findings.counts().length > 0 && { findings: findings.counts() }),
    ...(rubrics.length > 0 && { rubrics }),
    ...(cacheHits > 0 && { cacheHits }),
    ...(latencies.length > 0 && {
      latency: { p50Ms: percentile(latencies, 0.5), p95Ms: percentile(latencies, 0.95) },
    }),
  };
}

type Rubric = NonNullable<RunView['rubrics']>[number];

/** Findings by kind and severity, in the order of their names, the gravest of a kind first. */
export function createFindingCount() {
  const counted = new Map<string, Finding & { readonly taskIds: string[] }>();
  return {
    add(taskId: string, findings: readonly Finding[] = []): void {
      for (const { kind, severity } of findings) {
        const key = `${kind} ${9 - SEVERITIES.indexOf(severity)}`;
        const count = counted.get(key) ?? { kind, severity, taskIds: [] };
        counted.set(key, count);
        count.taskIds.push(taskId);
      }
    },
    counts: (): readonly FindingCount[] =>
      [...counted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count),
  };
}

const failureOf = (result: TaskResult): Failure => ({
  taskId: result.taskId,
  score: result.score,
  ...(result.latencyMs !== undefined && { latencyMs: result.latencyMs }),
  ...(result.schemaValid !== undefined && { schemaValid: result.schemaValid }),
  ...(result.findings && { findings: result.findings }),
  ...(result.unscored && { unscored: result.unscored }),
  ...(result.outcome && { outcome: result.outcome }),
  ...(result.criteria && { criteria: result.criteria }),
});

async function readSummary(touchstone: LocalTouchstone, run: Run): Promise<EvalSummary | null> {
  if (run.status !== 'completed') return null;
  const last = await touchstone.store.log.last(LOCAL_OWNER, run.runId);
  const { outputs } = (last?.payload ?? {}) as { readonly outputs?: EvalSummary };
  return outputs ?? null;
}

async function readThresholds(touchstone: LocalTouchstone, { plan }: EvalRun): Promise<Thresholds> {
  for (const owner of [LOCAL_OWNER, HOST_OWNER]) {
    const head = await touchstone.store.suites.byDigest(owner, plan.suite.digest);
    if (head) return head.thresholds ?? {};
  }
  return {};
}

async function addBodies(
  touchstone: LocalTouchstone,
  runId: RunId,
  failures: readonly Failure[],
  count: number,
): Promise<readonly Failure[]> {
  const shown = failures.slice(0, count).map(async (failure) => {
    const view = await touchstone.viewTask(LOCAL_OWNER, runId, asId<TaskId>(failure.taskId));
    return view ? { ...failure, bodies: bodiesOf(view) } : failure;
  });
  return [...(await Promise.all(shown)), ...failures.slice(count)];
}

/** Of several repeats the last is shown; `touchstone show --task` shows them all. */
export function bodiesOf(view: TaskView): FailureBodies {
  const shown = view.invocations.at(-1);
  return {
    expected: expectedOf(view.expected, shown?.criteria as readonly Decided[] | undefined),
    ...(shown?.output !== undefined && { got: { value: fromBody(shown.output) } }),
    outcome: shown?.outcome ?? 'failed',
    ...(shown?.reason !== undefined && { reason: shown.reason }),
  };
}

type Decided = Pick<CriterionBody, 'met' | 'agreement' | 'reason'>;

function expectedOf(expected: Expected, verdicts: readonly Decided[] | undefined): FailureBodies['expected'] {
  if (expected.kind === 'golden') {
    return { kind: 'golden', strategy: expected.match.strategy, value: fromBody(expected.match.value) };
  }
  const criteria = expected.rubric.map(({ criterion, weight }, index) => ({
    text: sentenceOf(criterion),
    weight,
    ...verdicts?.[index],
  }));
  return { kind: 'rubric', criteria };
}

/** A check is shown by the sentence that says the same in words. */
export function sentenceOf(criterion: Body): string {
  const text = String(fromBody(criterion));
  const parsed = parseCriterion(text);
  return parsed.kind === 'malformed' ? text : parsed.sentence;
}
