import { vendor } from '@touchstone/protocol/wire';
import { bodyOf, type Endpoint, endpoint } from '../../endpoint.js';
import { optionalText } from '../../query.js';
import type { Services } from '../../services.js';

export const baselineEndpoints = ({ touchstone }: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listBaselines',
    method: 'GET',
    path: '/v1/host/touchstone/baselines',
    auth: 'runs:read',
    summary: 'The runs that others are measured by, newest first, with those that counted before',
    parameters: { suiteId: optionalText('Only baselines of this suite.') },
    responses: { 200: { description: 'Blessed runs.', schema: vendor.page(vendor.baselineEntry) } },
    async handle(call) {
      const items = await touchstone.blessings.list(call.principal.owner, call.query.suiteId);
      return { status: 200, body: { items } };
    },
  }),
  endpoint({
    operationId: 'blessRun',
    method: 'POST',
    path: '/v1/host/touchstone/baselines',
    auth: 'baselines:write',
    summary: 'Make a completed run the baseline of its suite, its agent and its judge',
    body: bodyOf(vendor.blessRun),
    responses: {
      200: { description: 'The run is the baseline already.', schema: vendor.newBaseline },
      201: { description: 'The run is the baseline now.', schema: vendor.newBaseline },
    },
    refusals: ['not_found', 'run_state_conflict'],
    async handle(call) {
      const body = await touchstone.blessings.bless(call.principal, call.body.runId);
      return { status: body.already ? 200 : 201, body };
    },
  }),
];
