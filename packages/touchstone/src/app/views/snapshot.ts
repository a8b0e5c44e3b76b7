import { createHash } from 'node:crypto';
import {
  caveatsOf,
  defined,
  type EvalPlan,
  isNondeterministic,
  plannedSteps,
  type RunPlan,
  type RunStatus,
  type RunVerdict,
  sideOf,
  type Thresholds,
  targetOf,
} from '@touchstone/protocol';
import { floorWorkflow } from '../../engine/index.js';
import type { Run } from '../../ports/index.js';
import { pinsOf } from './run-measurement.js';

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

/** What is read beside the run's row when one run is asked for, and left out of lists. */
type SnapshotExtras = {
  /** The known cost of a run that has no summary to say it. */
  readonly spentUsd?: number | undefined;
  /** Of the suite that the run is pinned to. */
  readonly thresholds?: Thresholds | undefined;
  /** The time it is, for facts that a moment decides. */
  readonly now?: number;
};

/** The projected state of a run, as `GET /v1/runs/{runId}` shows it. */
export function snapshotOf(run: Run, { spentUsd, thresholds, now }: SnapshotExtras = {}): RunSnapshot {
  const { tags, metadata, configurable } = run.request;
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
    ...orchestratorOf(run),
    ...(run.error && { error: run.error }),
    engineVersion: String(run.engineVersion),
    eventLogSchemaVersion: EVENT_LOG_SCHEMA_VERSION,
    ...defined({ tags, metadata, configurable }),
    ...(usd !== undefined && { metrics: { openwopCost: { usd } } }),
    touchstone: {
      ...ownFacts(run),
      ...(now !== undefined && factsAt(run, now)),
      ...(thresholds && { thresholds }),
    },
  };
}

// An agent reference has its own list of model classes, so ours is not copied; version and channel exclude each other.
const agentOf = (plan: RunPlan): object =>
  'agent' in plan ? { agent: { agentId: plan.agent.agentId, version: plan.agent.version } } : {};

const orchestratorOf = ({ plan }: Run): object => {
  const agentId = plan.kind === 'workflow' && floorWorkflow(plan.workflowId)?.orchestrator;
  return agentId ? { runOrchestrator: { agentId } } : {};
};

/** What this host knows beyond the protocol, in one member of its own. */
const ownFacts = (run: Run): object => ({
  ...planFacts(run.plan),
  ...(run.plan.fork && { fork: run.plan.fork }),
  origin: run.origin,
  createdAt: iso(run.createdAt),
  ...(run.status === 'paused' && run.pausedAt !== undefined && { pausedAt: iso(run.pausedAt) }),
  ...(run.pausedMs > 0 && { pausedMs: run.pausedMs }),
  ...(run.waitUntil !== undefined && { waitUntil: iso(run.waitUntil) }),
  ...(run.headline && { headline: headlineOf(run) }),
  ...(run.bodiesRemovedAt !== undefined && { bodiesRemovedAt: iso(run.bodiesRemovedAt) }),
  eventCount: run.eventCount,
  ...(run.control && { control: run.control }),
});

/** The totals, with what was found out about them at the end of the run. */
const headlineOf = (run: Run): object => ({
  ...run.headline,
  ...run.figures,
  ...defined({ verdict: verdictOfRun(run) }),
});

/** Undefined for what is no completed evaluation. */
export const verdictOfRun = ({ plan, status, headline, figures }: Run): RunVerdict | undefined =>
  plan.kind === 'eval' && status === 'completed' && headline
    ? sideOf(headline, figures?.regression?.verdict === 'fail')
    : undefined;

const factsAt = (run: Run, now: number): object => ({
  ...(isInterrupted(run, now) && { interrupted: true }),
  ...(isExpired(run, now) && { expired: true }),
});

/** A run of the command line that is unfinished and has no driver: its process was stopped or killed. */
const isInterrupted = ({ origin, status, leaseUntil = 0 }: Run, now: number): boolean =>
  origin === 'cli' && (status === 'pending' || status === 'running') && leaseUntil < now;

/** It waits for an answer that would come too late. Where no server runs, that is written down when the run is looked at. */
const isExpired = (run: Run, now: number): boolean =>
  isWaiting(run) && run.waitUntil !== undefined && run.waitUntil <= now;

function planFacts(plan: RunPlan): object {
  if (plan.kind === 'workflow') return { kind: plan.kind };
  if (plan.kind === 'deployment') {
    const { kind, agentId, request, intent } = plan;
    const { filesNotFollowed } = intent ?? {};
    const approvals = intent?.approvals.map(({ gateId, excludeRequester = false }) => ({
      gateId,
      excludeRequester,
    }));
    return { kind, agentId, request, ...defined({ toState: targetOf(intent), approvals, filesNotFollowed }) };
  }
  const { agentId, version, digest, channel } = plan.agent;
  const agent = { agentId, version, digest, ...(channel !== undefined && { channel }) };
  const model = { ...(plan.model && { model: plan.model }), ...(plan.cache && { cache: true }) };
  if (plan.kind === 'agent') return { kind: plan.kind, agent, ...model };
  return {
    kind: plan.kind,
    suite: {
      ref: `${plan.suite.suiteId}@${plan.suite.version}`,
      digest: plan.suite.digest,
      ...defined({ signature: plan.suiteSignature }),
    },
    agent,
    ...defined({ filesNotFollowed: plan.filesNotFollowed }),
    ...model,
    modes: plan.modes,
    ...(isNondeterministic(plan) && { nondeterministic: true }),
    repeats: plan.repeats,
    concurrency: plan.concurrency,
    tasks: { total: plan.totalTasks, selected: plannedSteps(plan), ...selectionOf(plan) },
    ...pinsOf(plan),
    ...caveatsOf(plan),
    ...(plan.rejudgeOf && { rejudgeOf: plan.rejudgeOf }),
    ...(plan.targetMismatchAllowed && { targetMismatchAllowed: true }),
    ...defined({
      baselineRunId: plan.baselineRunId,
      commonTasks: plan.commonTasks,
      tolerance: plan.tolerance,
    }),
  };
}

/** Two runs of a part of a suite are of the same part when this is equal. */
const selectionOf = ({ ordinals }: EvalPlan): object =>
  ordinals === undefined
    ? {}
    : { selection: createHash('sha256').update(ordinals.join()).digest('base64url').slice(0, 22) };
