import type { RunTotals } from '@touchstone/protocol';
import {
  asId,
  type EvalReport,
  type EvalSummary,
  type Fork,
  isTerminal,
  type RunId,
  type TaskScore,
  type Thresholds,
  type UnscoredReason,
} from '@touchstone/protocol';
import { type Client, HostResponseError, percentile, type RunSnapshot, type TaskView } from '@touchstone/sdk';
import type { TaskView as LocalTaskView } from '../../../app/index.js';
import { bodiesOf, type Collecting, createFindingCount } from './collect-result.js';
import { type Failure, type RunView, reported } from './result.js';

/** The members of a snapshot that hosts of this kind add; another host may have none of them. */
type HostFacts = {
  readonly suite?: { readonly ref: string; readonly digest: string };
  readonly agent?: { readonly agentId: string; readonly version: string; readonly digest: string };
  readonly repeats?: number;
  readonly tasks?: { readonly total: number; readonly selected: number };
  readonly headline?: RunTotals;
  readonly modes?: readonly string[];
  readonly model?: NonNullable<RunView['model']>;
  readonly judge?: NonNullable<RunView['judge']>;
  readonly safetyJudge?: NonNullable<RunView['judge']>;
  readonly rejudgeOf?: RunId;
  readonly fork?: Fork;
  readonly contract?: string;
};

/** The same value as for a local run, from what the host tells. */
export async function collectRemote(
  client: Client,
  runId: RunId,
  collecting: Collecting,
  thresholds?: Thresholds,
): Promise<RunView> {
  const run = await client.runs.get(runId);
  const facts = (run.touchstone ?? {}) as HostFacts;
  const summary = run.status === 'completed' ? await client.evalSummary(runId) : null;
  const report = run.status === 'completed' ? await readReport(client, runId) : undefined;
  const unscored = unscoredTasks(report);
  return {
    runId,
    status: run.status,
    interrupted: (collecting.interrupted ?? false) && !isTerminal(run.status),
    ...pinsOf(run, facts, summary),
    summary,
    ...(run.error && { error: run.error as NonNullable<RunView['error']> }),
    thresholds: thresholds ?? (await thresholdsOf(client, facts.suite?.ref)),
    counts: countsOf(summary, facts),
    unscored: [...unscored.keys()],
    failures: (await failuresOf(client, runId, summary, collecting.bodies)).map((failure) => {
      const reason = unscored.get(failure.taskId);
      return reason ? { ...failure, unscored: reason } : failure;
    }),
    ...latencyOf(summary),
    ...(summary?.totalCostUsd !== undefined && { costUsd: summary.totalCostUsd }),
    unpriced: 0,
    repeats: facts.repeats ?? 1,
    wallMs: wallMs(run, collecting.now),
    ...(facts.model && { model: facts.model }),
    ...(facts.judge && { judge: facts.judge }),
    ...(facts.safetyJudge && { safetyJudge: facts.safetyJudge }),
    ...(facts.rejudgeOf && { rejudgeOf: facts.rejudgeOf }),
    ...findingsOf(summary),
    ...(facts.headline?.cacheHits && { cacheHits: facts.headline.cacheHits }),
    ...(facts.modes?.includes('live-shadow') && { nondeterministic: true }),
    ...reported(report, collecting.now),
    ...(facts.contract !== undefined &&
      summary && {
        contract: await client.runs.contractReport(runId),
      }),
    ...(collecting.conclusive && { conclusive: true }),
    ...(facts.fork && { fork: facts.fork }),
  };
}

/** Another kind of host has no such read. */
async function readReport(client: Client, runId: RunId): Promise<EvalReport | undefined> {
  return client.runs.report(runId).catch(absentElsewhere);
}

function absentElsewhere(error: unknown): undefined {
  if (error instanceof HostResponseError && error.status < 500) return undefined;
  throw error;
}

/** The summary cannot tell an unscored task from a failed one; the report can. */
const unscoredTasks = (report: EvalReport | undefined): ReadonlyMap<string, UnscoredReason> =>
  new Map((report?.tasks.unscoredTasks ?? []).map(({ taskId, reason }) => [taskId, reason]));

function pinsOf(
  run: RunSnapshot,
  { suite, agent }: HostFacts,
  summary: EvalSummary | null,
): Pick<RunView, 'suite' | 'agent'> {
  const [suiteId = run.workflowId, version = summary?.suiteVersion ?? '?'] = suite?.ref.split('@') ?? [];
  const shown = (run.agent ?? {}) as { readonly agentId?: string; readonly version?: string };
  return {
    suite: { suiteId: asId(suiteId), version: asId(version), digest: asId(suite?.digest ?? '') },
    agent: {
      agentId: asId(agent?.agentId ?? shown.agentId ?? '?'),
      version: asId(agent?.version ?? shown.version ?? '?'),
      digest: asId(agent?.digest ?? ''),
    },
  };
}

function countsOf(summary: EvalSummary | null, { headline, tasks }: HostFacts): RunView['counts'] {
  const done = summary?.taskCount ?? headline?.taskCount ?? 0;
  const passed = summary?.passedCount ?? headline?.passedCount ?? 0;
  const unscored = headline?.unscored ?? 0;
  return {
    total: tasks?.total ?? done,
    selected: tasks?.selected ?? done,
    passed,
    failed: done - passed - unscored,
    unscored,
  };
}

function latencyOf(summary: EvalSummary | null): Pick<RunView, 'latency'> {
  const sorted = (summary?.tasks ?? []).flatMap(({ latencyMs }) =>
    latencyMs === undefined ? [] : [latencyMs],
  );
  sorted.sort((a, b) => a - b);
  return sorted.length > 0
    ? { latency: { p50Ms: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) } }
    : {};
}

function findingsOf(summary: EvalSummary | null): Pick<RunView, 'findings'> {
  const count = createFindingCount();
  for (const { taskId, safetyFindings } of summary?.tasks ?? []) count.add(taskId, safetyFindings);
  const findings = count.counts();
  return findings.length > 0 ? { findings } : {};
}

async function failuresOf(
  client: Client,
  runId: RunId,
  summary: EvalSummary | null,
  bodies: number,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const task of summary?.tasks ?? []) {
    if (task.passed) continue;
    const view = failures.length < bodies ? await readTask(client, runId, task.taskId) : undefined;
    // On the wire a body is plain JSON, which is what it is underneath here as well.
    failures.push({ ...factsOf(task), ...(view && { bodies: bodiesOf(view as unknown as LocalTaskView) }) });
  }
  return failures;
}

const factsOf = ({ safetyFindings, passed: _, costUsd: __, ...facts }: TaskScore): Failure => ({
  ...facts,
  ...(safetyFindings && { findings: safetyFindings }),
});

/** Another kind of host has no such read; its scorecard is shown without bodies. */
async function readTask(client: Client, runId: RunId, taskId: string): Promise<TaskView | undefined> {
  return client.task(runId, taskId).catch(absentElsewhere);
}

async function thresholdsOf(client: Client, suiteRef: string | undefined): Promise<Thresholds> {
  if (suiteRef === undefined) return {};
  const suite = await client.suites.get(suiteRef).catch(() => undefined);
  return (suite?.thresholds ?? {}) as Thresholds;
}

function wallMs(run: RunSnapshot, now: number): number {
  const started = Date.parse(run.startedAt ?? '');
  const ended = run.completedAt === undefined ? now : Date.parse(run.completedAt);
  return Number.isFinite(started) ? Math.max(0, ended - started) : 0;
}
