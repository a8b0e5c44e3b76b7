import {
  asId,
  defined,
  type EvalReport,
  isTerminal,
  type RunError,
  type RunId,
  type TaskResult,
} from '@touchstone/protocol';
import type { Client } from '../../client.js';
import type { RunFacts } from '../../run-facts.js';
import type { RunSnapshot } from '../../types.js';
import type { FailCondition, RunView, ShownSummary } from '../run-view.js';
import { addBodies } from './failure-bodies.js';
import { createResultsFold, type FoldedResults, failureOf, foldReported } from './fold-results.js';
import { absentElsewhere, absentInOlder, readFailed, takeResults } from './read-results.js';

/** What to read of a run, and how to judge it. */
export type CollectOptions = {
  /** The caller stopped following the run. */
  readonly interrupted?: boolean;
  /** For how many failures, from the first, what was expected and what came is read as well. */
  readonly bodies: number;
  /**
   * How much of the summary is read, where the host tells less: it lists every task, and few readers need that list. `headline` is what
   * the snapshot of the run has of it, `totals` all of it but the list.
   */
  readonly summary?: 'headline' | 'totals';
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
  const listed = (await collectReported(client, run, report)) ?? (await collectListed(client, run, isOver));
  const summary = isOver ? await readSummary(client, run, listed && options.summary) : null;
  const results = listed ?? viewOf(resultsIn(summary, report), isOver).result();
  const { failures, counts, count, doneTasks, ...folded } = results;
  return {
    runId,
    status: run.status,
    interrupted: ((options.interrupted ?? false) || facts?.interrupted === true) && !isTerminal(run.status),
    ...pinsOf(run, summary),
    summary,
    ...(run.error && { error: run.error as RunError }),
    thresholds: facts?.thresholds ?? (listed ? {} : await thresholdsOf(client, facts?.suite?.ref)),
    counts: {
      total: facts?.tasks?.total ?? count,
      selected: facts?.tasks?.selected ?? count,
      ...counts,
    },
    ...(doneTasks && { doneTasks }),
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

const readSummary = async (
  client: Client,
  run: RunSnapshot,
  wanted: CollectOptions['summary'],
): Promise<ShownSummary> =>
  (wanted === 'headline' ? totalsOf(run) : undefined) ??
  (wanted === 'totals' ? await client.runs.summaryTotals(run.runId) : undefined) ??
  (await client.evalSummary(run.runId));

type RunResults = FoldedResults & Pick<RunView, 'doneTasks'>;

/**
 * Of a run that is over its report tells the rest, so that of a long one only what did not pass is read a second time. Criteria and
 * findings are shown with the tasks that have them, passed ones too.
 */
async function collectReported(
  client: Client,
  run: RunSnapshot,
  report: EvalReport | undefined,
): Promise<RunResults | undefined> {
  const totals = totalsOf(run);
  if (!report || !totals || report.criteria || report.findings) return undefined;
  const failed = await readFailed(client, run.runId, failureOf).catch(absentElsewhere);
  return failed && foldReported(report, totals, failed);
}

const collectListed = async (
  client: Client,
  { runId, touchstone }: RunSnapshot,
  isOver: boolean,
): Promise<RunResults | undefined> =>
  touchstone && (await takeResults(client, runId, createView(isOver)).catch(absentInOlder))?.result();

/** A summary lists the tasks of a run that is over; of one that goes on they are noted here. */
const createView = (isOver: boolean) => () => {
  const fold = createResultsFold();
  const done: NonNullable<RunView['doneTasks']>[number][] = [];
  return {
    add(result: TaskResult): void {
      fold.add(result);
      if (!isOver) done.push(defined({ taskId: result.taskId, latencyMs: result.latencyMs }));
    },
    result: () => ({ ...fold.result(), ...(!isOver && { doneTasks: done }) }),
  };
};

function viewOf(results: readonly TaskResult[], isOver: boolean) {
  const view = createView(isOver)();
  for (const result of results) view.add(result);
  return view;
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

/** For a host that does not tell them with the run. */
async function thresholdsOf(client: Client, suiteRef: string | undefined): Promise<RunView['thresholds']> {
  const suite = suiteRef === undefined ? undefined : await client.suites.get(suiteRef).catch(absentElsewhere);
  return (suite?.thresholds ?? {}) as RunView['thresholds'];
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
