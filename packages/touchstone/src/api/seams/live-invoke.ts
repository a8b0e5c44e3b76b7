import type { Shape } from '@touchstone/protocol/wire';
import { STRICT_AGENT_ID } from '../../app/index.js';
import { bodyOf, type Call, type Endpoint, endpoint, type Reply } from '../endpoint.js';
import type { Services } from '../services.js';
import { eventsOf, payloadOf, runToEnd } from './real-run.js';

type InvokeRequest = {
  readonly agentId?: string;
  readonly attemptTool?: string;
  readonly forceInvalidResult?: boolean;
};
const text: Shape = { type: 'string', minLength: 1 };
const wishBody: Shape = {
  type: 'object',
  properties: {
    agentId: text,
    // The only way in that this host offers, and says it offers.
    source: { type: 'string', enum: ['run-api'] },
    // The sample agent has one return schema, and it is always held to it, by whatever name it is asked for.
    returnSchemaRef: text,
    forceInvalidResult: { type: 'boolean' },
    attemptTool: text,
  },
};

export const liveInvokeSeam = (host: Services): Endpoint =>
  endpoint({
    operationId: 'seamLiveInvoke',
    method: 'POST',
    path: '/v1/host/sample/agents/live-invoke',
    auth: 'runs:create',
    summary: 'Test seam: invoke one agent, and ask it to break the rules',
    body: bodyOf<InvokeRequest>(wishBody, false),
    responses: { 200: { description: 'How the invocation ended.', schema: { type: 'object' } } },
    refusals: ['unavailable'],
    handle: (call) => invoke(host, call),
  });

/** Temptation comes with the input: whether it is resisted is for the host to show, as with any agent. */
async function invoke(host: Services, call: Call<unknown, InvokeRequest>): Promise<Reply> {
  const { agentId = STRICT_AGENT_ID, attemptTool, forceInvalidResult } = call.body;
  const inputs = {
    text: 'sample',
    ...(attemptTool !== undefined && { attemptTool }),
    ...(forceInvalidResult !== undefined && { forceInvalidResult }),
  };
  const { runId, status } = await runToEnd(host, call, { agentId, inputs });
  const events = await eventsOf(host, call.principal.owner, runId);
  const ended = payloadOf(events, 'agent.invocation.completed');
  return {
    status: 200,
    body: {
      runId,
      status,
      ...(ended && { invocationId: ended.invocationId, outcome: ended.outcome }),
    },
  };
}
