import {
  anything,
  choice,
  closed,
  count,
  flag,
  fraction,
  list,
  name,
  open,
  plain,
  ref,
  text,
} from '../../schema/build.js';
import { boundedAgentId, invocationSource, verbosity } from '../parts.js';
import type { promptKind } from '../prompt-kind.js';
import { causationHostId, error } from './shared.js';

const agentId = () => boundedAgentId('The agent.');

const LAYERS = [
  'run-configurable',
  'node',
  'agent-intrinsic',
  'agent-overrides',
  'agent-library-default',
  'workflow-defaults',
  'host-defaults',
] as const;

const layer = closed(
  { layer: choice(LAYERS, 'Where a prompt was looked for.'), applied: flag('Whether this one was taken.') },
  { source: text('The prompt found there.'), reason: text('Why it was passed over.') },
);

const call = {
  agentId: agentId(),
  toolName: name('The tool.'),
  callId: name('Joins the call and its return.'),
};

export const agentPayloads = {
  'agent.invocation.started': open(
    {
      invocationId: name('The invocation, unique in its run.'),
      agentId: name('The agent.'),
      source: invocationSource('Who asked for it.'),
    },
    {
      modelClass: text('The kind of model it needs.'),
      resolvedModel: text('The model it got.'),
      resolvedProvider: text('The provider of that model.'),
      resolvedAgentVersion: text('The version of the agent.'),
      resolvedChannel: text('The channel that led to that version.'),
      toolSurfaceCount: count('How many tools it was given.'),
      memoryBound: flag('Whether it has long-term memory.'),
    },
  ),
  'agent.invocation.completed': open(
    {
      invocationId: name('The invocation.'),
      agentId: name('The agent.'),
      outcome: choice(['completed', 'handed-off', 'escalated', 'refused', 'failed'], 'How it ended.'),
    },
    {
      schemaValidated: flag('Whether the answer was held against the return schema.'),
      confidence: fraction('How sure the agent was.'),
      enqueuedRunId: name('A run that it started.'),
    },
  ),
  'agent.promptResolved': closed(
    {
      nodeId: text('The node.'),
      kind: ref<typeof promptKind>('./prompt-kind.schema.json', 'Which part of the prompt.'),
      chain: list(layer, 'Every place that was looked at, in order.'),
      resolved: plain<string | null>({
        description: 'The prompt that was taken, if any.',
        type: ['string', 'null'],
      }),
    },
    { agentId: text('The agent.'), causationHostId: causationHostId() },
  ),
  'agent.reasoned': open(
    { agentId: agentId(), reasoning: text('What it thought.') },
    { verbosity: verbosity('How much of it this is.'), causationHostId: causationHostId() },
  ),
  'agent.reasoning.delta': open(
    { agentId: agentId(), delta: text('The next piece.'), sequence: count('Which piece, from 0.') },
    { verbosity: verbosity('How much of it this is.') },
  ),
  'agent.toolCalled': open(call, {
    inputs: anything('What the tool was given.'),
    argsHash: text('A digest of the inputs.'),
    principal: text('In whose name.'),
    transport: choice(['mcp', 'http', 'native'], 'How the tool is reached.'),
    causationHostId: causationHostId(),
  }),
  'agent.toolReturned': open(call, {
    outcome: anything('What the tool answered.'),
    error: error('Why it did not.'),
    status: choice(['ok', 'error', 'forbidden', 'rate_limited'], 'How the call ended.'),
    durationMs: count('How long it took, in milliseconds.'),
    causationHostId: causationHostId(),
  }),
  'agent.handoff': open(
    {
      fromAgentId: boundedAgentId('The agent that hands over.'),
      toAgentId: boundedAgentId('The agent that takes over.'),
    },
    { reason: text('Why.'), causationHostId: causationHostId() },
  ),
  'agent.decided': open(
    { agentId: agentId(), decision: anything('The answer.') },
    { confidence: fraction('How sure it is.'), causationHostId: causationHostId() },
  ),
};
