import type { RunId } from '../../model/ids.js';
import { RUN_STATUSES } from '../../model/status.js';
import {
  amount,
  anyObject,
  choice,
  closed,
  count,
  id,
  jsonObject,
  list,
  name,
  object,
  open,
  published,
  ref,
  text,
  timestamp,
  type Wire,
} from '../schema/build.js';
import type { agentRef } from './agent-ref.js';
import { owner } from './parts.js';

const AGENT_REF = 'agent-ref.schema.json';

/** Why a run failed. */
const error = closed(
  {
    /** One of `RUN_ERROR_CODES`, e.g. `budget_exhausted`. */
    code: name('What went wrong, for programs.'),
    /** A sentence; it quotes no content. */
    message: name('What went wrong, for people.'),
  },
  {
    /** Further facts: names, numbers and flags; absent when there are none. */
    details: jsonObject('Further facts.'),
  },
  { description: 'Set when the run has failed.' },
);

/** An absent member is unknown, not zero. */
const cost = closed(
  {},
  {
    /** Known cost, in US dollars. Of all model calls with a known price, judges included. */
    usd: amount('Known cost, in US dollars.'),
    /** Tokens of all model calls. */
    tokens: closed(
      {},
      {
        /** Tokens that models read. */
        input: count('Tokens read.'),
        /** Tokens that models wrote. */
        output: count('Tokens written.'),
      },
    ),
    /** The model that was called last. As its provider calls it. */
    model: text('The model that was called last.'),
    /** The configured name of the provider. */
    provider: text('The provider that was called last.'),
    /** Time spent in model calls, in milliseconds. Added up over all model calls. */
    duration_ms: count('Time spent in model calls, in milliseconds.'),
  },
  { description: 'What the run has cost so far.' },
);

/** The protocol's schema of a run's state, computed from its event log. */
export const runSnapshot = open(
  {
    /** The id that `POST /v1/runs` returned. */
    runId: id<RunId>('The run.', { minLength: 1, maxLength: 128 }),
    /** The suite's id of an eval run, the agent's id of an agent run, or the id of a workflow. */
    workflowId: name('What it executes; the suite of an eval run, the agent of an agent run.'),
    /** `completed`, `failed` and `cancelled` are final. See `RunStatus`. */
    status: choice(RUN_STATUSES, 'Where it stands.'),
  },
  {
    /** The tenant and workspace that may read the run, and the principal who created it. */
    owner: owner('Whose run it is.'),
    /** The node that waits for an answer; absent while none does. */
    currentNodeId: text('The node it waits at.'),
    /** When the run left `pending`, ISO 8601; absent before. */
    startedAt: timestamp('When it left pending.'),
    /** When the run ended, ISO 8601; absent until then. */
    completedAt: timestamp('When it ended.'),
    /** The agent that is evaluated or run; absent for workflows. */
    agent: ref<typeof agentRef>(AGENT_REF, 'The agent at work.'),
    /** The agent that hands out the work. Absent on this host, which has no orchestrators. */
    runOrchestrator: ref<typeof agentRef>(AGENT_REF, 'The agent that hands out the work.'),
    /** What is known about each node. By node id; absent on this host. */
    nodeStates: anyObject('What is known about each node.'),
    /** The values of the workflow. Absent on this host. */
    variables: anyObject('The values of the workflow.'),
    /** Typed state shared between nodes. Absent on this host. */
    channels: anyObject('Typed state shared between nodes.'),
    /** Present when the status is `failed`. */
    error,
    /** See `engineVersion` of events. */
    engineVersion: text('The engine that started the run.'),
    /** The version of the log's format. */
    eventLogSchemaVersion: count('Version of the event log.'),
    /** The tags of the caller, unchanged. Absent when the caller set none. */
    tags: list(text(undefined, { maxLength: 256 }), 'The tags of the caller, unchanged.', { maxItems: 100 }),
    /** The metadata of the caller, unchanged. Absent when the caller set none. */
    metadata: jsonObject('The metadata of the caller, unchanged.'),
    /** The options of the caller, unchanged. Absent when the caller set none. */
    configurable: jsonObject('The options of the caller, unchanged.'),
    /** Totals so far; final when the run has ended. */
    metrics: object(
      {},
      {
        /** Known cost so far; absent while none is known. */
        openwopCost: cost,
      },
      { description: 'Totals; a missing one is unknown, not zero.' },
    ),
  },
  published('run-snapshot', 'RunSnapshot', 'A run as its event log tells it.'),
);
/** Answer of `GET /v1/runs/{runId}`, and an entry of lists of runs. */
export type RunSnapshotWire = Wire<typeof runSnapshot>;
