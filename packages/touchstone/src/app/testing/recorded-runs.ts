import {
  type AgentId,
  asId,
  type Digest,
  type Owner,
  type RunId,
  type RunPlan,
  type RunStatus,
  type Version,
} from '@touchstone/protocol';
import { eventIdOf, type NewEvent, type RunEvent } from '@touchstone/protocol/bodies';
import type { Run } from '../../ports/index.js';
import type { DiffParts } from '../views/diff.js';

const OWNER: Owner = { tenant: 'acme', workspace: 'main' };

const agentPlan: RunPlan = {
  kind: 'agent',
  agent: {
    agentId: asId<AgentId>('local.acme.echo'),
    version: asId<Version>('1.0.0'),
    digest: asId<Digest>('sha256:0000'),
  },
};

/** An event as the log hands it out; everything that is new in every run depends on the run's name. */
export const numbered = (runId: string, event: NewEvent, sequence: number): RunEvent => ({
  eventId: eventIdOf(asId<RunId>(runId), sequence),
  runId: asId<RunId>(runId),
  type: event.type,
  payload: event.payload,
  timestamp: new Date(1_700_000_000_000 + event.at + runId.length).toISOString(),
  sequence,
  ...(event.nodeId !== undefined && { nodeId: event.nodeId }),
  schemaVersion: 1,
  engineVersion: String(runId.length),
  ...(sequence > 0 && { causationId: eventIdOf(asId<RunId>(runId), sequence - 1) }),
});

export type RecordedRun = {
  readonly events: readonly NewEvent[];
  readonly status?: RunStatus;
  readonly row?: Partial<Run>;
};

/** Runs as data, for laws that are tried on thousands of them. Counts how many events readers have been given. */
export function recordedRuns(runs: { readonly [runId: string]: RecordedRun }): DiffParts & {
  handedOut(): number;
} {
  let handedOut = 0;
  const of = (owner: Owner, runId: RunId) => (owner.tenant === OWNER.tenant ? runs[runId] : undefined);
  return {
    handedOut: () => handedOut,
    runs: {
      async get(owner, runId) {
        const run = of(owner, runId);
        return run && rowOf(runId, run);
      },
    },
    log: {
      async read(owner, runId, after, limit) {
        const events = of(owner, runId)?.events ?? [];
        const page = events.slice(after + 1, after + 1 + limit);
        handedOut += page.length;
        return page.map((event, index) => numbered(runId, event, after + 1 + index));
      },
    },
  };
}

const rowOf = (runId: RunId, { events, status = 'completed', row }: RecordedRun): Run => ({
  runId,
  owner: OWNER,
  principal: 'ci',
  origin: 'host',
  workflowId: 'local.acme.echo',
  plan: agentPlan,
  request: {},
  status,
  createdAt: 1_000,
  pausedMs: 0,
  eventCount: events.length,
  engineVersion: 1,
  ...row,
});
