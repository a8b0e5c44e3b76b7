import {
  asId,
  defined,
  type EvalReport,
  type Finding,
  isTerminal,
  type Json,
  type RunError,
  type RunId,
  SEVERITIES,
  type TaskResult,
  type TaskView,
} from '@touchstone/protocol';
import { parseCriterion } from '@touchstone/protocol/bodies';
import type { Client } from '../client.js';
import { HostResponseError } from '../errors.js';
import type { RunFacts } from '../run-facts.js';
import type { RunSnapshot, StepResult } from '../types.js';
import type {
  CriterionBody,
  FailCondition,
  Failure,
  FailureBodies,
  FindingCount,
  RunView,
  ShownSummary,
} from './run-view.js';

/** What to read of a run, and how to judge it. */
export type CollectOptions = {
  /** The caller stopped following the run. */
  readonly interrupted?: boolean;
  /** For how many failures, from the first, what was expected and what came is read as well. */
  readonly bodies: number;
  /**
   * Of the summary only its totals, where the host tells them with the run: it lists every task, and what people look at first does
   * not need that list.
   */
  readonly totals?: boolean;
  /** The caller's clock, in milliseconds since the epoch. */
  readonly now: number;
  /** The caller does not accept a result that chance alone could explain. */
  readonly conclusive?: true;
  /** What makes the run fail; by default thresholds and a real regression. */
  readonly failOn?: readonly FailCondition[];
  /** Compare with this run instead of the run's own baseline. */
  readonly against?: RunId;
  /** Compare with it the tasks that are the same in both suites. */
  readonly common?: boolean;
  /** Compare although different judges scored the two runs; refused when absent. */
  readonly allowJudgeMismatch?: boolean;
};

/** Folds what a host tells of an eval run into one value. Hosts of another kind tell less; what they lack is absent. */
export async function collectRun(client: Client, runId: RunId, options: CollectOptions): Promise<RunView> {
  const run = await client.runs.get(runId);
  const facts = run.touchstone;
  const isOver = run.status === 'completed';
  const report = isOver ? await readReport(client, runId, options) : undefined;
  const listed = facts && (await readResults(client, runId).catch(absentInOlder));
  const totals = options.totals && listed ? totalsOf(run) : undefined;
  const summary = isOver ? (totals ?? (await client.evalSummary(runId))) : null;
  const results = listed ?? resultsIn(summary, report);
  const { failures, counts, ...folded } = foldResults(results);
  return {
    runId,
    status: run.status,
    interrupted: ((options.interrupted ?? false) || facts?.interrupted === true) && !isTerminal(run.status),
    ...pinsOf(run, summary),
    summary,
    ...(run.error && { error: run.error as RunError }),
    thresholds: facts?.thresholds ?? (listed ? {} : await thresholdsOf(client, facts?.suite?.ref)),
    counts: {
      total: facts?.tasks?.total ?? results.length,
      selected: facts?.tasks?.selected ?? results.length,
      ...counts,
    },
    ...(!summary && { doneTasks: results.map(({ taskId, latencyMs }) => defined({ taskId, latencyMs })) }),
    failures: await addBodies(client, runId, failures, options.bodies),
    ...folded,
    repeats: facts?.repeats ?? 1,
    wallMs: wallMsOf(run, options.now),
    ...plannedFacts(facts),
    ...(report && { report }),
    ...(report?.regression && {
      baselineAgeMs: Math.max(0, options.now - Date.parse(report.regression.baseline.endedAt)),
    }),
    ...(facts?.contract && isOver && { contract: await client.runs.contractReport(runId) }),
    ...(options.conclusive && { conclusive: true }),
    ...(options.failOn && { failOn: options.failOn }),
  };
}

/** What was decided when the run was created, as far as people are shown it. */
const plannedFacts = (
  facts: RunFacts | undefined,
): Pick<
  RunView,
  | 'judge'
  | 'safetyJudge'
  | 'simulatedUser'
  | 'rejudgeOf'
  | 'model'
  | 'nondeterministic'
  | 'filesNotFollowed'
  | 'caveats'
  | 'fork'
  | 'bodiesRemovedAt'
> => ({
  ...(facts?.judge && { judge: facts.judge }),
  ...(facts?.safetyJudge && { safetyJudge: facts.safetyJudge }),
  ...(facts?.simulatedUser && { simulatedUser: facts.simulatedUser }),
  ...(facts?.rejudgeOf && { rejudgeOf: facts.rejudgeOf }),
  ...(facts?.model && { model: facts.model }),
  ...(facts?.nondeterministic && { nondeterministic: true }),
  ...(facts?.filesNotFollowed && { filesNotFollowed: true }),
  ...(facts?.caveats && { caveats: facts.caveats }),
  ...(facts?.fork && { fork: facts.fork }),
  ...(facts?.bodiesRemovedAt && { bodiesRemovedAt: facts.bodiesRemovedAt }),
});

/** Another kind of host has no report. A host of ours that refuses to compare says why, and that is thrown. */
async function readReport(
  client: Client,
  runId: RunId,
  { against, common, allowJudgeMismatch = false }: CollectOptions,
): Promise<EvalReport | undefined> {
  if (against !== undefined)
    return client.runs.report(runId, { against, allowJudgeMismatch, ...defined({ common }) });
  return client.runs.report(runId).catch(absentElsewhere);
}

/** Turns a refusal into "absent"; other errors are thrown. */
export function absentElsewhere(error: unknown): undefined {
  if (error instanceof HostResponseError && error.status < 500) return undefined;
  throw error;
}

/** The run is there, so what is not found is the operation: the host is older than it. */
function absentInOlder(error: unknown): undefined {
  if (!(error instanceof HostResponseError) || error.status !== 404) throw error;
}

/** For a host that does not tell them with the run. */
async function thresholdsOf(client: Client, suiteRef: string | undefined): Promise<RunView['thresholds']> {
  const suite = suiteRef === undefined ? undefined : await client.suites.get(suiteRef).catch(absentElsewhere);
  return (suite?.thresholds ?? {}) as RunView['thresholds'];
}

/** All results of a run, in the order of the suite. */
export const readResults = async (client: Client, runId: RunId): Promise<readonly TaskResult[]> =>
  (await readSteps(client, runId)).map(({ result }) => result);

/** The same with their places. They are sorted: a pause may have left gaps in the log that were filled later. */
export async function readSteps(client: Client, runId: RunId): Promise<readonly StepResult[]> {
  const rows: StepResult[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.runs.results(runId, cursor === undefined ? {} : { cursor });
    rows.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return rows.sort((a, b) => a.ordinal - b.ordinal);
}

/** What the snapshot of a completed run tells of its summary; undefined when it tells nothing. */
function totalsOf({ touchstone }: RunSnapshot): ShownSummary | undefined {
  const { suite, headline } = touchstone ?? {};
  if (!suite || !headline) return undefined;
  const [suiteId = '', suiteVersion = ''] = suite.ref.split('@');
  const { aggregateScore, passed, taskCount, passedCount, totalCostUsd } = headline;
  const totals = { aggregateScore, passed, taskCount, passedCount, ...defined({ totalCostUsd }) };
  return { suiteId: asId(suiteId), suiteVersion: asId(suiteVersion), ...totals };
}

/** What the summary of another kind of host, or of an older one, tells; an unscored task looks like a failed one in it. */
function resultsIn(summary: ShownSummary | null, report: EvalReport | undefined): readonly TaskResult[] {
  const unscored = new Map((report?.tasks.unscoredTasks ?? []).map(({ taskId, reason }) => [taskId, reason]));
  return (summary?.tasks ?? []).map(({ safetyFindings, ...task }): TaskResult => {
    const reason = unscored.get(task.taskId);
    return {
      ...task,
      ...(safetyFindings && { findings: safetyFindings }),
      ...(reason && { unscored: reason }),
    } as TaskResult;
  });
}

/** Suite and agent of a run. A host of another kind tells less, and `?` stands for what it does not tell. */
function pinsOf(run: RunSnapshot, summary: ShownSummary | null): Pick<RunView, 'suite' | 'agent'> {
  const { suite, agent } = run.touchstone ?? {};
  const [suiteId = run.workflowId, version = summary?.suiteVersion ?? '?'] = suite?.ref.split('@') ?? [];
  const shown = (run.agent ?? {}) as { readonly agentId?: string; readonly version?: string };
  return {
    suite: { suiteId: asId(suiteId), version: asId(version), digest: suite?.digest ?? asId('') },
    agent: agent ?? {
      agentId: asId(shown.agentId ?? '?'),
      version: asId(shown.version ?? '?'),
      digest: asId(''),
    },
  } as Pick<RunView, 'suite' | 'agent'>;
}

/** From start to end, or to now, in milliseconds, pauses that are over left out. */
function wallMsOf({ startedAt, completedAt, touchstone }: RunSnapshot, now: number): number {
  const began = Date.parse(startedAt ?? touchstone?.createdAt ?? '');
  if (!Number.isFinite(began)) return 0;
  const ended = completedAt === undefined ? now : Date.parse(completedAt);
  return Math.max(0, ended - began - (touchstone?.pausedMs ?? 0));
}

/** Counts, failures, costs and latencies of the results. */
function foldResults(results: readonly TaskResult[]) {
  const failures = results.filter(({ passed }) => !passed).map(failureOf);
  const rubrics: NonNullable<RunView['rubrics']>[number][] = [];
  const findings = createFindingCount();
  const latencies: number[] = [];
  let costUsd: number | undefined;
  let judgeUsd: number | undefined;
  let simulatedUserUsd: number | undefined;
  let unpriced = 0;
  let cacheHits = 0;
  for (const result of results) {
    if (result.latencyMs !== undefined) latencies.push(result.latencyMs);
    if (result.findings) findings.add(result.taskId, result.findings);
    if (result.criteria) rubrics.push({ taskId: result.taskId, criteria: result.criteria });
    if (result.costUsd !== undefined) costUsd = (costUsd ?? 0) + result.costUsd;
    if (result.judgeUsd !== undefined) judgeUsd = (judgeUsd ?? 0) + result.judgeUsd;
    if (result.simulatedUserUsd !== undefined)
      simulatedUserUsd = (simulatedUserUsd ?? 0) + result.simulatedUserUsd;
    unpriced += result.unpriced ?? 0;
    cacheHits += result.cacheHits ?? 0;
  }
  const unscored = failures.filter((failure) => failure.unscored).map((failure) => failure.taskId);
  latencies.sort((a, b) => a - b);
  return {
    counts: {
      passed: results.length - failures.length,
      failed: failures.length - unscored.length,
      unscored: unscored.length,
    },
    failures,
    unscored,
    unpriced,
    ...defined({ costUsd, judgeUsd, simulatedUserUsd }),
    ...(findings.counts().length > 0 && { findings: findings.counts() }),
    ...(rubrics.length > 0 && { rubrics }),
    ...(cacheHits > 0 && { cacheHits }),
    ...(latencies.length > 0 && {
      latency: { p50Ms: percentile(latencies, 0.5), p95Ms: percentile(latencies, 0.95) },
    }),
  };
}

/** Nearest rank, as the p95 threshold of a suite is measured. */
export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;

/** Findings by kind and severity, in the order of their names, the gravest of a kind first. */
function createFindingCount() {
  const counted = new Map<string, Finding & { readonly taskIds: string[] }>();
  return {
    add(taskId: string, findings: readonly Finding[]): void {
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

/** What people are shown of a task that did not pass. */
const failureOf = (result: TaskResult): Failure => ({
  taskId: result.taskId,
  score: result.score,
  ...defined({ latencyMs: result.latencyMs, schemaValid: result.schemaValid }),
  ...(result.findings && { findings: result.findings }),
  ...(result.unscored && { unscored: result.unscored }),
  ...(result.denial && { denial: result.denial }),
  ...(result.outcome && { outcome: result.outcome }),
  ...(result.criteria && { criteria: result.criteria }),
});

/** Reads the content of the first failures; the others stay as they are. */
async function addBodies(
  client: Client,
  runId: RunId,
  failures: readonly Failure[],
  count: number,
): Promise<readonly Failure[]> {
  const shown: Failure[] = [];
  const wanted = failures.slice(0, count);
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const some = wanted.slice(from, from + AT_ONCE).map(async (failure) => {
      const view = await client.task(runId, failure.taskId).catch(absentElsewhere);
      return view ? { ...failure, bodies: bodiesOf(view) } : failure;
    });
    for (const failure of await Promise.all(some)) shown.push(failure);
  }
  return [...shown, ...failures.slice(count)];
}

/** Requests at a time: a host must not be asked for thousands of tasks at once. */
const AT_ONCE = 32;

/** What was expected and what came. Of several repeats the last is shown; `touchstone show --task` shows them all. */
export function bodiesOf({ expected, invocations }: TaskView): FailureBodies {
  const shown = invocations.at(-1);
  return {
    expected: expectedOf(expected as unknown as ExpectedBody, shown?.criteria as CriterionVerdicts),
    ...(shown?.output !== undefined && { got: { value: shown.output } }),
    outcome: shown?.outcome ?? 'failed',
    ...(shown?.reason !== undefined && { reason: shown.reason }),
  };
}

/** The `expected` member of a task as the wire has it. */
type ExpectedBody =
  | {
      readonly kind: 'golden';
      readonly match: { readonly strategy: string; readonly value: Json };
    }
  | {
      readonly kind: 'rubric';
      readonly rubric: readonly { readonly criterion: string; readonly weight: number }[];
    };
/** Verdicts in the order of the rubric; undefined when none was recorded. */
type CriterionVerdicts =
  | readonly Pick<CriterionBody, 'met' | 'agreement' | 'reason' | 'differsAt'>[]
  | undefined;

function expectedOf(expected: ExpectedBody, verdicts: CriterionVerdicts): FailureBodies['expected'] {
  if (expected.kind === 'golden')
    return { kind: 'golden', strategy: expected.match.strategy, value: expected.match.value };
  const criteria = expected.rubric.map(({ criterion, weight }, index) => ({
    text: sentenceOf(criterion),
    weight,
    ...checkOf(criterion),
    ...verdicts?.[index],
  }));
  return { kind: 'rubric', criteria };
}

function checkOf(criterion: string): Pick<CriterionBody, 'check'> {
  const parsed = parseCriterion(criterion);
  return parsed.kind === 'check' ? { check: parsed.name } : {};
}

/** The words of a criterion: a check is shown by the sentence that says the same. */
export function sentenceOf(criterion: string): string {
  const parsed = parseCriterion(criterion);
  return parsed.kind === 'malformed' ? criterion : parsed.sentence;
}
