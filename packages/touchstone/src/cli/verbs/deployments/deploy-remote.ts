import { asId, type RunId } from '@touchstone/protocol';
import { type Client, HostResponseError, type RunSnapshot } from '@touchstone/sdk';
import { noDeployment } from '../../find-run.js';
import {
  type Asked,
  type DeployDoor,
  type DeployRun,
  outcomeOf,
  type Refusal,
  type ToldEvent,
} from './deploy-door.js';

const REFUSALS: readonly string[] = ['forbidden', 'eval_gate_unmet', 'conflict'];
const PAGE = 100;

/** The same over HTTP, as the principal of the key. */
export function createRemoteDoor(client: Client): DeployDoor {
  return {
    list: (agentId) => client.deployments.list(agentId).catch(absent),
    knownAgents: async () => (await client.agents.list()).agents.map(({ agentId }) => agentId),
    async transition(agentId, request) {
      const before = await waitingRuns(client, agentId);
      try {
        const { runId, waiting } = await client.deployments.transition(agentId, request);
        const isOlder = waiting !== undefined && runId !== undefined && before.includes(runId);
        return {
          outcome: waiting ? 'waiting' : 'moved',
          ...(runId && { runId }),
          ...(isOlder && { askedBefore: true }),
        };
      } catch (error) {
        return refusalOf(error);
      }
    },
    async run(runId) {
      const found = await client.runs.get(asId<RunId>(runId)).catch(absent);
      return found && toldRun(found);
    },
    events: (runId) => readEvents(client, runId),
    async answer(runId, nodeId, value) {
      await client.interrupts.resolve(runId, nodeId, value);
    },
    async withdraw(runId, reason) {
      await client.runs.cancel(runId, reason);
    },
    newestEval: (agentId, version) => newestEval(client, agentId, version),
    report: (runId) => client.runs.report(runId).catch(unreadable),
    // Which bytes serve under a version is not told.
    hasChanged: async () => false,
  };
}

function absent(error: unknown): undefined {
  if (!(error instanceof HostResponseError) || error.status !== 404) throw error;
}
function unreadable(error: unknown): undefined {
  if (!(error instanceof HostResponseError) || error.status >= 500) throw error;
}

/** Whoever may move an agent and not read runs is not told that the same was asked before. */
async function waitingRuns(client: Client, agentId: string): Promise<readonly RunId[]> {
  const filter = { agentId, status: 'waiting-approval', limit: PAGE } as const;
  const page = await client.runs.list(filter).catch(unreadable);
  return page?.items.map(({ runId }) => runId) ?? [];
}

function refusalOf(error: unknown): Asked {
  if (!(error instanceof HostResponseError) || !REFUSALS.includes(error.code)) throw error;
  const { code, message, details: { runId, ...details } = {} } = error;
  const told = { code, message, ...(Object.keys(details).length > 0 && { details }) };
  return outcomeOf({ runId: asId<RunId>(String(runId ?? '')), status: 'failed', error: told });
}

type Facts = Pick<DeployRun, 'agentId' | 'request'> & {
  readonly kind?: string;
  readonly eventCount?: number;
  readonly agent?: { readonly version: string };
  readonly fork?: object;
  readonly rejudgeOf?: string;
};
const factsOf = ({ touchstone }: RunSnapshot): Facts => (touchstone ?? {}) as Facts;

function toldRun(run: RunSnapshot): DeployRun {
  const { kind, agentId, request } = factsOf(run);
  if (kind !== 'deployment') throw noDeployment(run.runId);
  const { principal } = (run.owner ?? {}) as { readonly principal?: string };
  const node = run.currentNodeId as string | undefined;
  return {
    runId: run.runId,
    status: run.status,
    agentId,
    request,
    ...(principal !== undefined && { principal }),
    ...(run.error && { error: run.error as Refusal }),
    ...(node !== undefined && { waitingNode: node }),
  };
}

/** A question of such a run may have been asked many times, and a host hands a long log out in pieces. */
async function readEvents(client: Client, runId: RunId): Promise<readonly ToldEvent[]> {
  const { eventCount = 0 } = factsOf(await client.runs.get(runId));
  const events: ToldEvent[] = [];
  for (let after: number | undefined; events.length < eventCount; ) {
    const asked = { timeoutSeconds: 1, ...(after !== undefined && { after }) };
    const page = (await client.pollEvents(runId, asked)).events;
    events.push(...page);
    after = page.at(-1)?.sequence;
    if (after === undefined) return events;
  }
  return events;
}

async function newestEval(client: Client, agentId: string, version: string): Promise<RunId | undefined> {
  const filter = { agentId, status: 'completed', limit: PAGE } as const;
  for (let cursor: string | undefined; ; ) {
    const page = await client.runs.list({ ...filter, ...(cursor && { cursor }) });
    const found = page.items
      .map((run) => ({ run, facts: factsOf(run) }))
      .find(({ facts }) => {
        const isOriginal = facts.kind === 'eval' && !facts.fork && !facts.rejudgeOf;
        return isOriginal && facts.agent?.version === version;
      });
    if (found || page.nextCursor === undefined) return found?.run.runId;
    cursor = page.nextCursor;
  }
}
