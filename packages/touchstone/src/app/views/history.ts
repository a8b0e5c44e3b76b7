import {
  type AgentId,
  asId,
  type EvalPlan,
  type GatePolicy,
  type HistoryPoint,
  type Owner,
  type SuiteHistory,
  timestampOf,
  verdictOn,
} from '@touchstone/protocol';
import { matchingGates } from '../../deployments/index.js';
import type { Run, Store } from '../../ports/index.js';
import { buildReport, DEFAULT_PASS_SCORE } from '../../scorecard/index.js';
import { markCurrent } from '../review/blessings.js';
import { sharedTasks } from './common-tasks.js';
import { measuredRun, type ResultSource, readThresholds } from './run-measurement.js';

/** So many results are read for one answer, newest runs first. What they alone tell is left out of older points. */
const MOST_RESULTS = 20_000;
const PAGE = 200;

export type HistoryRequest = {
  readonly suiteId: string;
  /** Only runs of this version of the suite. */
  readonly version?: string | undefined;
  readonly agentId?: string | undefined;
  readonly limit: number;
};

/** The latest completed runs of a suite, whatever its version, and the gates that ask for it. Reads no body. */
export async function readHistory(
  source: ResultSource,
  owner: Owner,
  request: HistoryRequest,
  gates: readonly GatePolicy[],
): Promise<SuiteHistory> {
  const { store } = source;
  const runs = await completedRuns(store, owner, request);
  const blessed = new Set(
    markCurrent(await store.baselines.list(owner)).flatMap(({ blessing, current }) =>
      current ? [blessing.runId] : [],
    ),
  );
  const points: HistoryPoint[] = [];
  let left = MOST_RESULTS;
  for (const run of runs) {
    left -= run.headline?.taskCount ?? 0;
    const facts = left >= 0 ? await measuredFacts(source, run) : {};
    points.unshift({
      ...(await pointOf(store, run)),
      ...facts,
      ...(blessed.has(run.runId) && { blessed: true }),
    });
  }
  return { points, gates: gatesFor(request, owner, gates) };
}

type EvalRun = Run & { readonly plan: EvalPlan };

/** A replay repeats another run and says nothing new. */
const isMeasurement = (run: Run): run is EvalRun =>
  run.plan.kind === 'eval' && run.plan.fork?.mode !== 'replay';

/** Newest first. */
async function completedRuns(
  store: Store,
  owner: Owner,
  { suiteId, version, agentId, limit }: HistoryRequest,
): Promise<readonly EvalRun[]> {
  const filter = {
    suiteId,
    status: 'completed',
    limit: PAGE,
    ...(agentId !== undefined && { agentId }),
  } as const;
  const runs: EvalRun[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store.runs.list(owner, { ...filter, ...(cursor !== undefined && { cursor }) });
    for (const run of page.items)
      if (isMeasurement(run) && (version === undefined || run.plan.suite.version === version)) runs.push(run);
    cursor = page.nextCursor;
    if (cursor === undefined || runs.length >= limit) return runs.slice(0, limit);
  }
}

async function pointOf(store: Store, run: EvalRun): Promise<HistoryPoint> {
  const { suite, agent, judge } = run.plan;
  const { aggregateScore = 0, taskCount = 0, passedCount = 0, totalCostUsd } = run.headline ?? {};
  return {
    runId: run.runId,
    suiteVersion: suite.version,
    suiteDigest: suite.digest,
    agentId: agent.agentId,
    agentVersion: agent.version,
    agentDigest: agent.digest,
    endedAt: timestampOf(run.completedAt ?? run.createdAt),
    score: aggregateScore,
    passRate: passedCount / Math.max(1, taskCount),
    bar: (await readThresholds(store, run))?.passScore ?? DEFAULT_PASS_SCORE,
    verdict: run.headline ? verdictOn(run.headline) : 'error',
    ...(totalCostUsd !== undefined && { costUsd: totalCostUsd }),
    ...(judge && { judge: { provider: judge.provider, model: judge.model, digest: judge.digest } }),
  };
}

/** What only the results tell: how sure the score is, how slow the slowest were, and how it compared. */
async function measuredFacts(source: ResultSource, run: EvalRun): Promise<Partial<HistoryPoint>> {
  const { runId, plan, owner } = run;
  const { baselineRunId } = plan;
  const results = await source.results.all(run);
  const baseline = baselineRunId && (await measuredRun(source, owner, baselineRunId, '/baselineRunId'));
  const shared =
    baseline && plan.commonTasks && (await sharedTasks(source.store, owner, baseline, { ...plan, results }));
  const { aggregate, latency, regression } = buildReport({ runId, plan }, results, {
    ...(baseline && { baseline: { ...baseline, ...(shared && { shared }) } }),
  });
  return {
    interval: aggregate.interval,
    ...(latency.maxMs > 0 && { p95Ms: latency.p95Ms }),
    ...(regression && { regression: { scoreDelta: regression.scoreDelta, verdict: regression.verdict } }),
  };
}

/** Those that a run of the suite can open: of every agent, or of the one that is asked about. */
const gatesFor = (
  { suiteId, agentId }: HistoryRequest,
  { tenant }: Owner,
  gates: readonly GatePolicy[],
): SuiteHistory['gates'] =>
  gates.flatMap((gate) => {
    const { requiredEval, gateId, to } = gate;
    if (requiredEval?.suite.split('@')[0] !== suiteId) return [];
    const [match] =
      agentId === undefined
        ? [gate].filter((one) => one.tenant === undefined || one.tenant === tenant)
        : matchingGates([gate], tenant, asId<AgentId>(agentId), to);
    const { requiredPassScore } = requiredEval;
    return match ? [{ gateId, to, ...(requiredPassScore !== undefined && { requiredPassScore }) }] : [];
  });
