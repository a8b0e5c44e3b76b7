import {
  type AgentId,
  asId,
  type GatePolicy,
  type HistoryPoint,
  type Owner,
  type RunId,
  type SuiteHistory,
  timestampOf,
  verdictOn,
} from '@touchstone/protocol';
import { matchingGates } from '../../deployments/index.js';
import type { Store } from '../../ports/index.js';
import { DEFAULT_PASS_SCORE } from '../../scorecard/index.js';
import { markCurrent } from '../review/blessings.js';
import { completedRuns } from './outcomes/completed-runs.js';
import { createFigures, type OutcomesReader } from './outcomes/run-outcomes.js';
import { readThresholds } from './run-measurement.js';
import type { EvalRun } from './tasks/task-table.js';

export type HistoryRequest = {
  readonly suiteId: string;
  /** Only runs of this version of the suite. */
  readonly version?: string | undefined;
  readonly agentId?: string;
  readonly limit: number;
};

type HistorySource = { readonly store: Store; readonly outcomes: OutcomesReader };

/** The latest completed runs of a suite, whatever its version, and the gates that ask for it. Reads no body. */
export async function readHistory(
  { store, outcomes }: HistorySource,
  owner: Owner,
  request: HistoryRequest,
  gates: readonly GatePolicy[],
): Promise<SuiteHistory> {
  const blessed = await blessedRuns(store, owner);
  const points: HistoryPoint[] = [];
  const withFigures = createFigures(outcomes);
  for (const run of await completedRuns(store, owner, request)) {
    const { figures } = await withFigures(run);
    points.unshift({
      ...(await pointOf(store, run)),
      ...figures,
      ...(blessed.has(run.runId) && { blessed: true }),
    });
  }
  return { points, gates: gatesFor(request, owner, gates) };
}

/** The runs that are baselines at present. */
export const blessedRuns = async (store: Store, owner: Owner): Promise<ReadonlySet<RunId>> =>
  new Set(
    markCurrent(await store.baselines.list(owner)).flatMap(({ blessing, current }) =>
      current ? [blessing.runId] : [],
    ),
  );

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
