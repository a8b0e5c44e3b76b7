import {
  type DeploymentPlan,
  type DeploymentState,
  isTerminal,
  type KeptReason,
  type Owner,
  RUN_STATUSES,
  type RunId,
  type RunPlan,
} from '@touchstone/protocol';
import type { Run, Store } from '../../ports/index.js';

/** Why a run stays. */
export type Demand = { readonly reason: KeptReason; readonly by?: string };
/** The need for a run at the moment; undefined when it may go. */
export type DemandOf = (run: Run) => Promise<Demand | undefined>;

const PAGE = 200;

/** Looks once at what an owner's runs are needed for, and answers for each. */
export async function readNeeds(store: Store, owner: Owner): Promise<DemandOf> {
  const needs = new Map<RunId, Demand>([
    ...(await unfinishedNeeds(store, owner)),
    ...(await evidenceNeeds(store, owner)),
    ...(await store.baselines.list(owner)).map(({ runId }) => [runId, { reason: 'blessed' }] as const),
  ]);
  return async (run) => {
    if (!isTerminal(run.status)) return { reason: 'unfinished' };
    return needs.get(run.runId) ?? (await parentNeed(store, run)) ?? (await deploymentNeed(store, run));
  };
}

type Entry = readonly [RunId, Demand];

/** What runs in progress read of others: answers they judge again, the log they began with, their baseline, their proof. */
async function unfinishedNeeds(store: Store, owner: Owner): Promise<readonly Entry[]> {
  const needs: Entry[] = [];
  for (const status of RUN_STATUSES.filter((one) => !isTerminal(one)))
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = await store.runs.list(owner, { status, limit: PAGE, ...(cursor && { cursor }) });
      cursor = page.nextCursor;
      for (const { runId, plan } of page.items)
        needs.push(...sourcesOf(plan).map((source) => [source, { reason: 'in_use', by: runId }] as const));
    }
  return needs;
}

const sourcesOf = (plan: RunPlan): readonly RunId[] => [
  ...(plan.fork ? [plan.fork.source] : []),
  ...(plan.kind === 'eval' && plan.rejudgeOf !== undefined ? [plan.rejudgeOf] : []),
  ...(plan.kind === 'deployment' && plan.request.evalRunId !== undefined ? [plan.request.evalRunId] : []),
  ...baselineOf(plan),
];

const baselineOf = (plan: RunPlan): readonly RunId[] =>
  plan.kind === 'eval' && plan.baselineRunId !== undefined ? [plan.baselineRunId] : [];

/** The proofs that deployments name, and the runs that those were measured by. */
async function evidenceNeeds(store: Store, owner: Owner): Promise<readonly Entry[]> {
  const needs: Entry[] = [];
  for (const { runId, agent } of await store.retention.evidence(owner)) {
    const plan = (await store.runs.get(owner, runId))?.plan;
    const measuredBy = plan ? baselineOf(plan) : [];
    needs.push(
      ...measuredBy.map((baseline) => [baseline, { reason: 'evidence_baseline', by: agent }] as const),
    );
    needs.push([runId, { reason: 'evidence', by: agent }]);
  }
  return needs;
}

/** A run that started another ends as that one did, and looks at it for that. */
async function parentNeed(store: Store, { owner, plan }: Run): Promise<Demand | undefined> {
  if (plan.kind !== 'workflow' || !plan.parent) return undefined;
  const parent = await store.runs.get(owner, plan.parent.runId);
  return parent && !isTerminal(parent.status) ? { reason: 'in_use', by: parent.runId } : undefined;
}

const IN_SERVICE: readonly DeploymentState[] = ['test', 'staged', 'active', 'paused'];

/** The run that moved a version says who agreed to it. */
async function deploymentNeed(store: Store, { owner, plan }: Run): Promise<Demand | undefined> {
  if (plan.kind !== 'deployment') return undefined;
  const { agentId, request } = plan satisfies DeploymentPlan;
  const moved = (await store.deployments.get(owner, agentId))?.versions ?? [];
  const serves = moved.some(
    ({ version, state }) => version === request.version && IN_SERVICE.includes(state),
  );
  return serves ? { reason: 'evidence', by: `${agentId}@${request.version}` } : undefined;
}
