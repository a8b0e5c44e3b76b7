import { asId, type RunId } from '@touchstone/protocol';
import { type Endpoint, endpoint } from '../../endpoint.js';
import type { Parameter } from '../../query.js';
import { runIdOf, type Services } from '../../services.js';

const MAX_ID = 128;

const against: Parameter<RunId> = {
  description: 'The run to hold it against.',
  schema: { type: 'string', minLength: 1, maxLength: MAX_ID },
  required: true,
  read(text = '') {
    if (text.length > 0 && text.length <= MAX_ID) return { value: asId<RunId>(text) };
    return { wrong: `expected the id of a run, 1 to ${MAX_ID} characters` };
  },
};

export const diffEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'diffRun',
    method: 'GET',
    path: '/v1/runs/{runId}:diff',
    auth: 'runs:read',
    summary: 'What differs between two runs, clocks and ids left aside',
    parameters: { against },
    responses: { 200: { description: 'The differences.', schema: 'run-diff-response' } },
    refusals: ['not_found'],
    async handle(call) {
      const body = await host.touchstone.diff(call.principal.owner, runIdOf(call), call.query.against);
      return { status: 200, body, headers: { 'cache-control': 'no-store' } };
    },
  }),
];
