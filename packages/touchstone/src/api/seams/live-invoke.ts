import { defined } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import { choice, flag, name, object, type Wire } from '@touchstone/protocol/schema';
import { STRICT_AGENT_ID } from '../../app/index.js';
import { bodyOf, type Call, type Endpoint, endpoint, ok, type Reply } from '../endpoint.js';
import { optionalText, type QueryOf } from '../query.js';
import { runIdOf, type Services } from '../services.js';
import { usageRunOf } from './emit-usage.js';
import { eventsOf, payloadOf, runToEnd } from './real-run.js';

const requestBody = object(
  {},
  {
    agentId: name(),
    // The only way in that this host offers, and says it offers.
    source: choice(['run-api']),
    // The sample agent has one return schema, and it is always held to it, by whatever name it is asked for.
    returnSchemaRef: name(),
    forceInvalidResult: flag(),
    attemptTool: name(),
  },
);
type InvokeRequest = Wire<typeof requestBody>;

export const liveInvokeSeam = (host: Services): Endpoint =>
  endpoint({
    operationId: 'seamLiveInvoke',
    route: 'POST /v1/host/sample/agents/live-invoke',
    auth: 'runs:create',
    summary: 'Test seam: invoke one agent, and ask it to break the rules',
    body: bodyOf(requestBody, false),
    responses: ok('How the invocation ended.', { type: 'object' }),
    refusals: ['unavailable'],
    handle: (call) => invoke(host, call),
  });

/** Temptation comes with the input: whether it is resisted is for the host to show, as with any agent. */
async function invoke(host: Services, call: Call<unknown, InvokeRequest>): Promise<Reply> {
  const { agentId = STRICT_AGENT_ID, attemptTool, forceInvalidResult } = call.body;
  const inputs = { text: 'sample', ...defined({ attemptTool, forceInvalidResult }) };
  const { runId, status } = await runToEnd(host, call, { agentId, inputs });
  const events = await eventsOf(host, call.principal.owner, runId);
  const ended = payloadOf(events, 'agent.invocation.completed');
  return {
    status: 200,
    body: { runId, status, ...(ended && { invocationId: ended.invocationId, outcome: ended.outcome }) },
  };
}

const parameters = {
  type: optionalText('Only events of this type.'),
  correlationId: optionalText('Only events caused by this one.'),
  causationId: optionalText('Only events caused by this one.'),
  nodeId: optionalText('Only events of this node.'),
};

export const runEventsSeam = (host: Services): Endpoint =>
  endpoint({
    operationId: 'seamRunEvents',
    route: 'GET /v1/host/sample/test/runs/{runId}/events',
    auth: 'runs:read',
    summary: 'Test seam: the stored events of a run',
    parameters,
    responses: ok('Events; none for an unknown run.', { type: 'object' }),
    handle: (call) => storedEvents(host, call),
  });

async function storedEvents(host: Services, call: Call<QueryOf<typeof parameters>>): Promise<Reply> {
  const { type, nodeId, causationId, correlationId } = call.query;
  const wanted = (event: RunEvent): boolean =>
    (type === undefined || event.type === type) &&
    (nodeId === undefined || event.nodeId === nodeId) &&
    [causationId, correlationId].every((id) => id === undefined || event.causationId === id);
  const { owner } = call.principal;
  const emitted = await eventsOf(host, owner, usageRunOf(owner, runIdOf(call)));
  const events = [...(await eventsOf(host, owner, runIdOf(call))), ...emitted];
  return { status: 200, body: { events: events.filter(wanted) } };
}
