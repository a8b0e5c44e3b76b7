import type { RunEvent } from '@touchstone/protocol/bodies';
import { type Call, type Endpoint, endpoint, type Reply } from '../endpoint.js';
import { optionalText, type QueryOf } from '../query.js';
import { runIdOf, type Services } from '../services.js';
import { eventsOf } from './real-run.js';

const parameters = {
  type: optionalText('Only events of this type.'),
  correlationId: optionalText('Only events caused by this one.'),
  causationId: optionalText('Only events caused by this one.'),
  nodeId: optionalText('Only events of this node.'),
};

export const runEventsSeam = (host: Services): Endpoint =>
  endpoint({
    operationId: 'seamRunEvents',
    method: 'GET',
    path: '/v1/host/sample/test/runs/{runId}/events',
    auth: 'runs:read',
    summary: 'Test seam: the stored events of a run',
    parameters,
    responses: { 200: { description: 'Events; none for an unknown run.', schema: { type: 'object' } } },
    handle: (call) => storedEvents(host, call),
  });

async function storedEvents(host: Services, call: Call<QueryOf<typeof parameters>>): Promise<Reply> {
  const { type, nodeId, causationId, correlationId } = call.query;
  const wanted = (event: RunEvent): boolean =>
    (type === undefined || event.type === type) &&
    (nodeId === undefined || event.nodeId === nodeId) &&
    [causationId, correlationId].every((id) => id === undefined || event.causationId === id);
  const events = await eventsOf(host, call.principal.owner, runIdOf(call));
  return { status: 200, body: { events: events.filter(wanted) } };
}
