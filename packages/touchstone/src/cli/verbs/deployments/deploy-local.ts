import {
  type AgentId,
  asId,
  type ChannelName,
  isHostError,
  type ReasonLabel,
  type RunId,
  type TransitionRequest,
  type Version,
} from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import type { Deployment, TransitionDeployment } from '@touchstone/sdk';
import type { Run } from '../../../ports/index.js';
import { asDeploymentRun, isExpired } from '../../find-run.js';
import type { Context } from '../../io.js';
import { LOCAL_OWNER, type Local, principalHere, withFiles, withLocal } from '../../local.js';
import { type DeployDoor, type DeployRun, outcomeOf, type ToldEvent } from './deploy-door.js';

const PAGE = 500;

/** In this process: the store of this folder, and whoever sits at the machine. Looking leaves nothing behind. */
export const withLocalDoor = <T>(
  context: Context,
  isLooking: boolean,
  use: (door: DeployDoor) => Promise<T>,
): Promise<T> =>
  (isLooking ? withFiles : withLocal)(context, (local) => use(createLocalDoor(local, context.io.now)));

export function createLocalDoor(local: Local, now: () => number): DeployDoor {
  const { touchstone, config } = local;
  const by = principalHere(config);
  const { store, engine } = touchstone;
  return {
    list: async (agentId) =>
      (await touchstone.deployments.list(LOCAL_OWNER, asId<AgentId>(agentId))) as
        | readonly Deployment[]
        | undefined,
    async knownAgents() {
      const agents = await touchstone.listAgents(LOCAL_OWNER);
      return [...new Set(agents.map(({ facts }) => facts.agentId as string))];
    },
    async transition(agentId, request) {
      const asked = requestOf(request);
      const began = now();
      const ask = (): Promise<Run> =>
        touchstone.deployments.transition(by, asId<AgentId>(agentId), asked, 'cli');
      const first = await ask();
      // The same question from before, whose time is over without anybody having noticed, is not waited on.
      const isStale = isExpired(first, now());
      if (isStale) await engine.drive(LOCAL_OWNER, first.runId);
      const run = isStale ? await ask() : first;
      const outcome = outcomeOf(run);
      const isOlder = outcome.outcome === 'waiting' && run.createdAt < began;
      return { ...outcome, ...(isOlder && { askedBefore: true }) };
    },
    async run(runId) {
      const found = await store.runs.get(LOCAL_OWNER, asId<RunId>(runId));
      // Nobody drives a run that waits, so nobody but whoever looks notices that its time is over.
      const isOver = found !== undefined && isExpired(found, now());
      if (isOver) await engine.drive(LOCAL_OWNER, found.runId);
      const run = isOver ? await store.runs.get(LOCAL_OWNER, asId<RunId>(runId)) : found;
      return run && toldRun(run, now());
    },
    events: (runId) => readEvents(local, runId),
    async answer(runId, nodeId, value) {
      await engine.interrupts.resolve(LOCAL_OWNER, { runId, nodeId, by, value });
    },
    async withdraw(runId, reason) {
      await engine.cancel(LOCAL_OWNER, runId, by.id, reason);
      await engine.drive(LOCAL_OWNER, runId);
    },
    newestEval: (agentId, version) => newestEval(local, agentId, version),
    report: (runId) => touchstone.report(LOCAL_OWNER, runId).catch(unreadable),
    async hasChanged(agentId, version) {
      const serving = await store.deployments.get(LOCAL_OWNER, asId<AgentId>(agentId));
      const found = await touchstone.findAgent(LOCAL_OWNER, `${agentId}@${version}`);
      const digest = serving?.versions.find((one) => one.version === version)?.digest;
      return digest !== undefined && found !== undefined && found.facts.digest !== digest;
    },
  };
}

function unreadable(error: unknown): undefined {
  if (!isHostError(error) || error.status >= 500) throw error;
}

const requestOf = (asked: TransitionDeployment): TransitionRequest => ({
  version: asId<Version>(asked.version),
  transition: asked.transition,
  ...(asked.toState !== undefined && { toState: asked.toState }),
  ...(asked.channel !== undefined && { channel: asId<ChannelName>(asked.channel) }),
  ...(asked.canaryPercent !== undefined && { canaryPercent: asked.canaryPercent }),
  ...(asked.evalRunId !== undefined && { evalRunId: asId<RunId>(asked.evalRunId) }),
  ...(asked.reason !== undefined && { reason: asId<ReasonLabel>(asked.reason) }),
});

export function toldRun(found: Run, now: number): DeployRun {
  const { runId, status, principal, plan, error, waitingNode } = asDeploymentRun(found);
  const barring = plan.intent?.approvals.filter(({ excludeRequester }) => excludeRequester) ?? [];
  return {
    runId,
    status,
    principal,
    agentId: plan.agentId,
    request: plan.request,
    ...(error && { error }),
    ...(waitingNode !== undefined && { waitingNode }),
    ...(isExpired(found, now) && { expired: true }),
    ...(barring.length > 0 && { barsRequester: barring.map(({ gateId }) => gateId) }),
  };
}

/** Such a run is short: a handful of events for every question. */
export async function readEvents(
  { touchstone }: Pick<Local, 'touchstone'>,
  runId: RunId,
): Promise<readonly ToldEvent[]> {
  const events: RunEvent[] = [];
  for (let after = -1; ; ) {
    const page = await touchstone.store.log.read(LOCAL_OWNER, runId, after, PAGE);
    const last = page.at(-1);
    // A body is plain JSON underneath, as it is on the wire.
    if (!last) return events as unknown as readonly ToldEvent[];
    events.push(...page);
    after = last.sequence;
  }
}

async function newestEval(
  { touchstone }: Local,
  agentId: string,
  version: string,
): Promise<RunId | undefined> {
  const filter = { agentId, status: 'completed', limit: PAGE } as const;
  for (let cursor: string | undefined; ; ) {
    const page = await touchstone.store.runs.list(LOCAL_OWNER, { ...filter, ...(cursor && { cursor }) });
    const found = page.items.find(({ plan }) => isOriginalOf(plan, version));
    if (found || page.nextCursor === undefined) return found?.runId;
    cursor = page.nextCursor;
  }
}

const isOriginalOf = (plan: Run['plan'], version: string): boolean =>
  plan.kind === 'eval' && plan.agent.version === version && !plan.fork && !plan.rejudgeOf;
