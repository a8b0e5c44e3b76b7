import { type AgentPlan, agentNamed, type InvocationOutcome, type Owner } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import { anyObject, flag, list, object, text, type Wire } from '@touchstone/protocol/schema';
import { type AgentFacts, MEMORY_TOOL, type Run } from '../../ports/index.js';
import { bodyOf, type Call, type Endpoint, endpoint, ok, type Reply } from '../endpoint.js';
import type { Services } from '../services.js';
import { eventsOf, payloadOf, runToEnd } from './real-run.js';

const taskBody = object(
  {},
  {
    task: anyObject(),
    // A task is always held against the agent's schemas, and its tools are always those it is granted: a run cannot be
    // asked to be laxer or stricter, so neither can this. The answer tells what was really offered.
    validateHandoff: flag(),
    availableTools: list(text()),
  },
);
type Task = Wire<typeof taskBody>;

export const dispatchSeam = (host: Services): Endpoint =>
  endpoint({
    operationId: 'seamDispatch',
    route: 'POST /v1/host/sample/agents/{agentId}/dispatch',
    auth: 'runs:create',
    summary: 'Test seam: one turn of an agent, with everything it did',
    body: bodyOf(taskBody, false),
    responses: ok('What came of it.', { type: 'object' }),
    refusals: ['unavailable'],
    handle: (call) => dispatch(host, call),
  });

async function dispatch(host: Services, call: Call<unknown, Task>): Promise<Reply> {
  const { owner } = call.principal;
  const run = await runToEnd(host, call, {
    agentId: call.params.agentId ?? '',
    inputs: call.body.task ?? {},
  });
  const { agentId } = (run.plan as AgentPlan).agent;
  const facts = (await host.touchstone.agents.find(owner, agentNamed(run.plan) ?? agentId))?.facts;
  const events = await eventsOf(host, owner, run.runId);
  return {
    status: 200,
    body: {
      agentId,
      runId: run.runId,
      toolSurface: facts ? await surfaceOf(host, owner, facts) : [],
      ...(facts?.confidenceThreshold !== undefined && { threshold: facts.confidenceThreshold }),
      ...outcomeOf(run, events),
      events: events.flatMap(attributed),
    },
  };
}

/** What the agent may use and is granted. Its memory is a tool only when it has one. */
async function surfaceOf(
  { touchstone }: Services,
  owner: Owner,
  { toolAllowlist, memoryShape }: AgentFacts,
): Promise<readonly string[]> {
  const granted = new Set<string>((await touchstone.tools.catalogue(owner)).map(({ toolId }) => toolId));
  if (!memoryShape?.longTerm) granted.delete(MEMORY_TOOL.toolId);
  return toolAllowlist.filter((toolId) => granted.has(toolId));
}

function outcomeOf({ status, error }: Run, events: readonly RunEvent[]): object {
  const ended = payloadOf(events, 'agent.invocation.completed');
  const decided = payloadOf(events, 'agent.decided');
  return {
    status: statusOf(ended?.outcome),
    ...(ended?.confidence !== undefined && { confidence: ended.confidence }),
    ...(status === 'completed' && decided && { result: decided.decision }),
    ...(error && { error: error.code }),
  };
}

const statusOf = (outcome: InvocationOutcome | undefined): string =>
  outcome === 'completed' || outcome === 'escalated' ? outcome : 'failed';

/** Events of the agent's own, each under its name. */
const attributed = (event: RunEvent): readonly object[] =>
  event.type.startsWith('agent.') && 'agentId' in event.payload
    ? [{ ...event, agentId: event.payload.agentId }]
    : [];
