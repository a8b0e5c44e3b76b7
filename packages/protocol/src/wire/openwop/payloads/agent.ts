import {
  anything,
  choice,
  closed,
  count,
  flag,
  fraction,
  integer,
  list,
  name,
  open,
  plain,
  ref,
  text,
} from '../../schema/build.js';
import { boundedAgentId, invocationSource, verbosity } from '../parts.js';
import type { promptKind } from '../prompt-kind.js';
import type { orchestratorDecision } from './orchestrator-decision.js';
import { causationHostId, error } from './shared.js';

const agentId = () => boundedAgentId('The agent.');

/** Places that a prompt can come from, from the most specific to the most general. */
const LAYERS = [
  'run-configurable',
  'node',
  'agent-intrinsic',
  'agent-overrides',
  'agent-library-default',
  'workflow-defaults',
  'host-defaults',
] as const;

/** One place that was looked at for a prompt. */
const layer = closed(
  {
    /** The place. */
    layer: choice(LAYERS, 'Where a prompt was looked for.'),
    /** `true` for the place whose prompt was used; at most one in a chain. */
    applied: flag('Whether this one was taken.'),
  },
  {
    /** A name of the prompt found there; absent when there was none. */
    source: text('The prompt found there.'),
    /** Why it was passed over. Absent when the prompt was used. */
    reason: text('Why it was passed over.'),
  },
);

/** What the two events of one tool call share. */
const call = {
  /** The agent that calls the tool. */
  agentId: agentId(),
  /** The tool's id, as `<scope>:<tool>`. */
  toolName: name('The tool.'),
  /** Joins the call and its return. Unique in the run; equal in `agent.toolCalled` and `agent.toolReturned`. */
  callId: name('Joins the call and its return.'),
};

/** Payloads of the `agent.*` events. Except for the invocation bracket they may hold content. */
export const agentPayloads = {
  /** Opens the events of one invocation (RFC 0077). */
  'agent.invocation.started': open(
    {
      /** The invocation, unique in its run. Equal in the event that closes the invocation. */
      invocationId: name('The invocation, unique in its run.'),
      /** The agent's id, without a version. */
      agentId: name('The agent.'),
      /** Who asked for it. Always `run-api` on this host. */
      source: invocationSource('Who asked for it.'),
    },
    {
      /** The kind of model it needs. Absent when the agent declares none. */
      modelClass: text('The kind of model it needs.'),
      /** The model that the host asks for the agent; absent when the agent brings its own. */
      resolvedModel: text('The model it got.'),
      /** The configured name of the provider; absent like `resolvedModel`. */
      resolvedProvider: text('The provider of that model.'),
      /** The version that the request's `agentId` led to. */
      resolvedAgentVersion: text('The version of the agent.'),
      /** The channel that led to that version. Absent when the request named no channel. */
      resolvedChannel: text('The channel that led to that version.'),
      /** Tools on its allowlist that this host has. */
      toolSurfaceCount: count('How many tools it was given.'),
      /** Whether it has long-term memory. `true` when a memory was opened for the invocation. */
      memoryBound: flag('Whether it has long-term memory.'),
    },
  ),
  /** Closes the events of one invocation, also when it failed. */
  'agent.invocation.completed': open(
    {
      /** The invocation. As in the event that opened it. */
      invocationId: name('The invocation.'),
      /** The agent's id, without a version. */
      agentId: name('The agent.'),
      /** See `INVOCATION_OUTCOMES`. Only `completed` and `escalated` have an answer. */
      outcome: choice(['completed', 'handed-off', 'escalated', 'refused', 'failed'], 'How it ended.'),
    },
    {
      /** Whether the answer fits the agent's return schema; absent when it has none. */
      schemaValidated: flag('Whether the answer was held against the return schema.'),
      /** How sure the agent is, from 0 to 1; absent when it reported nothing. */
      confidence: fraction('How sure the agent was.'),
      /** A run that the invocation started. Absent on this host: invocations start no runs. */
      enqueuedRunId: name('A run that it started.'),
    },
  ),
  /** Which system prompt the agent got, and where it came from. */
  'agent.promptResolved': closed(
    {
      /** The node. Equal to the event's `nodeId`; in an eval run the task. */
      nodeId: text('The node.'),
      /** Which part of the prompt. Always `system` on this host. */
      kind: ref<typeof promptKind>('./prompt-kind.schema.json', 'Which part of the prompt.'),
      /** Every place that was looked at, in the order of `LAYERS`. */
      chain: list(layer, 'Every place that was looked at, in order.'),
      /** The prompt itself. Content. `null` when no place had one. */
      resolved: plain<string | null>({
        description: 'The prompt that was taken, if any.',
        type: ['string', 'null'],
      }),
    },
    {
      /** The agent's id, without a version. */
      agentId: text('The agent.'),
      /** The host on which the cause lies. Absent: no cause lies on another host. */
      causationHostId: causationHostId(),
    },
  ),
  /** Reasoning that an agent reports after the fact. */
  'agent.reasoned': open(
    {
      /** The agent that reasoned. */
      agentId: agentId(),
      /** What the agent reports as its reasoning. Content. */
      reasoning: text('What it thought.'),
    },
    {
      /** How much of its reasoning this is; absent when the agent does not say. */
      verbosity: verbosity('How much of it this is.'),
      causationHostId: causationHostId(),
    },
  ),
  /** Reasoning in pieces, while it is produced. This host writes only `agent.reasoned`. */
  'agent.reasoning.delta': open(
    {
      agentId: agentId(),
      /** The next piece of the reasoning. Content. */
      delta: text('The next piece.'),
      /** Counts the pieces of one invocation, not the events of the run. */
      sequence: count('Which piece, from 0.'),
    },
    { verbosity: verbosity('How much of it this is.') },
  ),
  /** The agent asks for a tool. */
  'agent.toolCalled': open(call, {
    /** What the agent sent to the tool. Any JSON. Content. */
    inputs: anything('What the tool was given.'),
    /** `sha256:<hex>` of the canonical inputs, on hosts with `toolHooks`. */
    argsHash: text('A digest of the inputs.'),
    /** The id of the principal whose permissions the call uses. */
    principal: text('In whose name.'),
    /** How the host reaches the tool. */
    transport: choice(['mcp', 'http', 'native'], 'How the tool is reached.'),
    causationHostId: causationHostId(),
  }),
  /** What came of the call with the same `callId`. */
  'agent.toolReturned': open(call, {
    /** What the tool answered. Any JSON. Content. Absent when the tool failed or answered nothing. */
    outcome: anything('What the tool answered.'),
    /** Why the tool did not answer; absent when it did. */
    error: error('Why it did not.'),
    /** How the call ended. `forbidden`: not on the allowlist, or not allowed in this run. */
    status: choice(['ok', 'error', 'forbidden', 'rate_limited'], 'How the call ended.'),
    /** How long the call took, in milliseconds. */
    durationMs: count('How long it took, in milliseconds.'),
    causationHostId: causationHostId(),
  }),
  /** One agent passes its work to another. Only a conformance workflow of this host does. */
  'agent.handoff': open(
    {
      /** The agent that had the work. */
      fromAgentId: boundedAgentId('The agent that hands over.'),
      /** The agent that continues. */
      toAgentId: boundedAgentId('The agent that takes over.'),
    },
    { reason: text('Why.'), causationHostId: causationHostId() },
  ),
  /** What the agent that leads a workflow does next. Only a conformance workflow of this host has one. */
  'runOrchestrator.decided': closed(
    {
      /** The agent that leads, the same one throughout the run. */
      agentId: boundedAgentId('The agent that leads.'),
      /** What is next. */
      decision: ref<typeof orchestratorDecision>('orchestrator-decision.schema.json', 'What is next.'),
    },
    {
      /** Which turn of the orchestrator this is, from 1. Absent here: this host advertises no orchestrators. */
      iteration: integer('Which turn of the orchestrator, from 1.', { minimum: 1 }),
      causationHostId: causationHostId(),
    },
  ),
  /** The agent's answer, which is then scored. */
  'agent.decided': open(
    {
      /** The agent that answered. */
      agentId: agentId(),
      /** The answer. Any JSON. Content. */
      decision: anything('The answer.'),
    },
    {
      /** How sure it is. From 0 to 1; absent when the agent reports none. */
      confidence: fraction('How sure it is.'),
      causationHostId: causationHostId(),
    },
  ),
};
