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

const error = closed(
  { code: name('What went wrong, for programs.'), message: name('What went wrong, for people.') },
  { details: jsonObject('Further facts.') },
  { description: 'Set when the run has failed.' },
);

const cost = closed(
  {},
  {
    usd: amount('Known cost, in US dollars.'),
    tokens: closed({}, { input: count('Tokens read.'), output: count('Tokens written.') }),
    model: text('The model that was called last.'),
    provider: text('The provider that was called last.'),
    duration_ms: count('Time spent in model calls, in milliseconds.'),
  },
  { description: 'What the run has cost so far.' },
);

export const runSnapshot = open(
  {
    runId: id<RunId>('The run.', { minLength: 1, maxLength: 128 }),
    workflowId: name('What it executes; the suite of an eval run, the agent of an agent run.'),
    status: choice(RUN_STATUSES, 'Where it stands.'),
  },
  {
    owner: owner('Whose run it is.'),
    currentNodeId: text('The node it waits at.'),
    startedAt: timestamp('When it left pending.'),
    completedAt: timestamp('When it ended.'),
    agent: ref<typeof agentRef>(AGENT_REF, 'The agent at work.'),
    runOrchestrator: ref<typeof agentRef>(AGENT_REF, 'The agent that hands out the work.'),
    nodeStates: anyObject('What is known about each node.'),
    variables: anyObject('The values of the workflow.'),
    channels: anyObject('Typed state shared between nodes.'),
    error,
    engineVersion: text('The engine that started the run.'),
    eventLogSchemaVersion: count('Version of the event log.'),
    tags: list(text(undefined, { maxLength: 256 }), 'The tags of the caller, unchanged.', { maxItems: 100 }),
    metadata: jsonObject('The metadata of the caller, unchanged.'),
    configurable: jsonObject('The options of the caller, unchanged.'),
    metrics: object(
      {},
      { openwopCost: cost },
      { description: 'Totals; a missing one is unknown, not zero.' },
    ),
  },
  published('run-snapshot', 'RunSnapshot', 'A run as its event log tells it.'),
);
/** Answer of `GET /v1/runs/{runId}`, and an entry of lists of runs. */
export type RunSnapshotWire = Wire<typeof runSnapshot>;
