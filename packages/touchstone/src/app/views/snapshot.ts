import { isNondeterministic, plannedSteps, type RunPlan, type RunStatus } from '@touchstone/protocol';
import type { Run } from '../../ports/index.js';

/** The version of the event log's layout that runs of this host are stamped with. */
export const EVENT_LOG_SCHEMA_VERSION = 2;

export type RunSnapshot = {
  readonly runId: string;
  readonly workflowId: string;
  readonly status: RunStatus;
  readonly [member: string]: unknown;
};

const isWaiting = ({ status }: Run): boolean => status.startsWith('waiting-');
const iso = (at: number): string => new Date(at).toISOString();

/** The projected state of a run, as `GET /v1/runs/{runId}` shows it. `spentUsd` is what is known before the run is over. */
export function snapshotOf(run: Run, spentUsd?: number): RunSnapshot {
  const { request } = run;
  const usd = run.headline?.totalCostUsd ?? spentUsd;
  return {
    runId: run.runId,
    workflowId: run.workflowId,
    status: run.status,
    ...(isWaiting(run) && { currentNodeId: run.waitingNode }),
    owner: { ...run.owner, principal: run.principal },
    ...(run.startedAt !== undefined && { startedAt: iso(run.startedAt) }),
    ...(run.completedAt !== undefined && { completedAt: iso(run.completedAt) }),
    ...agentOf(run.plan),
    ...(run.error && { error: run.error }),
    engineVersion: String(run.engineVersion),
    eventLogSchemaVersion: EVENT_LOG_SCHEMA_VERSION,
    ...(request.tags && { tags: request.tags }),
    ...(request.metadata && { metadata: request.metadata }),
    ...(request.configurable && { configurable: request.configurable }),
    ...(usd !== undefined && { metrics: { openwopCost: { usd } } }),
    touchstone: ownFacts(run),
  };
}

// An agent reference has its own list of model classes, so ours is not copied; version and channel exclude each other.
const agentOf = (plan: RunPlan): object =>
  'agent' in plan ? { agent: { agentId: plan.agent.agentId, version: plan.agent.version } } : {};

/** What this host knows beyond the protocol, in one member of its own. */
const ownFacts = (run: Run): object => ({
  ...planFacts(run.plan),
  ...(run.plan.fork && { fork: run.plan.fork }),
  origin: run.origin,
  createdAt: iso(run.createdAt),
  ...(run.pausedAt !== undefined && { pausedAt: iso(run.pausedAt) }),
  ...(run.headline && { headline: run.headline }),
  eventCount: run.eventCount,
  ...(run.control && { control: run.control }),
});

function planFacts(plan: RunPlan): object {
  if (plan.kind === 'workflow') return { kind: plan.kind };
  if (plan.kind === 'deployment') return { kind: plan.kind, agentId: plan.agentId, request: plan.request };
  const { agentId, version, digest, channel } = plan.agent;
  const agent = { agentId, version, digest, ...(channel !== undefined && { channel }) };
  const model = { ...(plan.model && { model: plan.model }), ...(plan.cache && { cache: true }) };
  if (plan.kind === 'agent') return { kind: plan.kind, agent, ...model };
  return {
    kind: plan.kind,
    suite: { ref: `${plan.suite.suiteId}@${plan.suite.version}`, digest: plan.suite.digest },
    agent,
    ...model,
    modes: plan.modes,
    ...(isNondeterministic(plan) && { nondeterministic: true }),
    repeats: plan.repeats,
    concurrency: plan.concurrency,
    tasks: { total: plan.totalTasks, selected: plannedSteps(plan) },
    ...(plan.judge && { judge: plan.judge }),
    ...(plan.safetyJudge && { safetyJudge: plan.safetyJudge }),
    ...(plan.safetyPolicy && { safetyPolicy: plan.safetyPolicy }),
    ...(plan.contract && { contract: plan.contract }),
    ...(plan.embedder && { embedder: plan.embedder }),
    ...(plan.rejudgeOf && { rejudgeOf: plan.rejudgeOf }),
    ...(plan.baselineRunId && { baselineRunId: plan.baselineRunId }),
    ...(plan.tolerance !== undefined && { tolerance: plan.tolerance }),
  };
}
