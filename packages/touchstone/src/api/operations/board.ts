import { asId, type ChannelName, type RunId, type Version } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { type Endpoint, endpoint, ok } from '../endpoint.js';
import { optionalChoice, optionalInteger, optionalText, pageQuery, requiredName } from '../query.js';
import type { Services } from '../services.js';
import { agentIdOf } from './deployments.js';

const MAX_VERSION = 64;

const question = {
  version: requiredName<Version>('The version that would move.', 'a version', MAX_VERSION),
  to: optionalChoice('Where it would go; one state ahead when absent.', [
    'test',
    'staged',
    'active',
    'paused',
    'deprecated',
    'rolled-back',
  ]),
  channel: optionalChoice('The channel, for a move to active or a rollback.', ['stable', 'canary']),
  canaryPercent: optionalInteger('The share it would get; without `to`, a change of its share.', {
    min: 0,
    max: 100,
  }),
  evalRunId: optionalText('The eval run that would be named as proof.'),
};

/** What people look at before they move anything. Both only read. */
export const boardEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'listDeployments',
    route: 'GET /v1/host/touchstone/deployments',
    auth: 'key',
    summary: 'All agents: their versions, what serves, and what waits for people',
    parameters: { ...pageQuery('agents'), agentId: optionalText('Only this agent.') },
    responses: ok('Agents by id.', vendor.deploymentBoard),
    async handle({ principal, query }) {
      return { status: 200, body: await host.touchstone.deployments.board(principal.owner, query) };
    },
  }),
  endpoint({
    operationId: 'reviewMove',
    route: 'GET /v1/host/touchstone/agents/{agentId}/gates',
    auth: 'runs:read',
    summary: 'What the host would decide about a move now; nothing is recorded',
    parameters: question,
    responses: ok('The gates on the way, and what they would say.', vendor.moveReview),
    refusals: ['not_found'],
    handle(call) {
      const agentId = agentIdOf(call);
      const { channel, evalRunId, ...rest } = call.query;
      const asked = {
        ...rest,
        channel: channel && asId<ChannelName>(channel),
        evalRunId: evalRunId === undefined ? undefined : asId<RunId>(evalRunId),
      };
      return {
        slow: true,
        async large() {
          const body = await host.touchstone.deployments.review(call.principal, agentId, asked);
          return { status: 200, body, headers: { 'cache-control': 'no-store' } };
        },
      };
    },
  }),
];
