import { HostError, type JudgeListing } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { parseJudge } from '../../../app/index.js';
import type { StoredJudge } from '../../../ports/index.js';
import { type BodyRule, type Endpoint, endpoint, ok } from '../../endpoint.js';
import type { Services } from '../../services.js';

const judgeBody: BodyRule<StoredJudge> = {
  schema: vendor.portableJudge,
  required: true,
  read: (value) => parseJudge(value),
};

const listingOf = ({ judgeId, version, digest }: StoredJudge): JudgeListing => ({
  judgeRef: `${judgeId}@${version}`,
  judgeId,
  version,
  digest,
});

/** Portable judges: what they ask is theirs, which model answers is the host's. */
export const judgeEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'installJudge',
    route: 'POST /v1/host/touchstone/judges',
    auth: 'suites:write',
    summary: 'Install a portable judge',
    body: judgeBody,
    responses: {
      200: { description: 'This very judge is installed already.', schema: vendor.judgeListing },
      201: { description: 'The judge is installed.', schema: vendor.judgeListing },
    },
    refusals: ['conflict', 'quota_exceeded'],
    async handle({ principal, body }) {
      const outcome = await host.touchstone.judges.install(principal.owner, body);
      return { status: outcome === 'created' ? 201 : 200, body: listingOf(body) };
    },
  }),
  endpoint({
    operationId: 'listJudges',
    route: 'GET /v1/host/touchstone/judges',
    auth: 'runs:read',
    summary: 'The portable judges that the caller can name',
    responses: ok('Judges without their questions.', vendor.judgeList),
    async handle({ principal }) {
      const judges = await host.touchstone.judges.list(principal.owner);
      return { status: 200, body: { items: judges.map(listingOf) } };
    },
  }),
  endpoint({
    operationId: 'getJudge',
    route: 'GET /v1/host/touchstone/judges/{judgeRef}',
    auth: 'runs:read',
    summary: 'A portable judge; the reference is <judgeId>@<version>, or <judgeId> for the highest version',
    responses: ok('The judge as it can be installed elsewhere.', vendor.portableJudge),
    refusals: ['not_found'],
    async handle({ principal, params }) {
      const found = await host.touchstone.judges.find(principal.owner, String(params.judgeRef));
      if (!found) throw new HostError('not_found', 'There is no such judge.');
      return { status: 200, body: found.judge.judge };
    },
  }),
];
