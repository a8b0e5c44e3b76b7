import { defined, HostError, type InstalledSuite, validationError } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import type { SuiteVisible } from '../../../app/index.js';
import type { Suite } from '../../../ports/index.js';
import { suiteDocument } from '../../../suites/index.js';
import {
  type BodyRule,
  bodyBytes,
  type Call,
  type Endpoint,
  endpoint,
  type LargeReply,
  ok,
  type Reply,
} from '../../endpoint.js';
import { integerOr, optionalText, pageQuery, type QueryOf } from '../../query.js';
import { noSuch, type Services } from '../../services.js';

const suiteBody = ({ touchstone, config }: Services): BodyRule<Suite> => ({
  schema: 'agent-eval-suite',
  required: true,
  isLong: true,
  read: (value, { principal, headers }) =>
    touchstone.readSuite(principal.owner, value, bodyBytes(headers, config.limits.maxRequestBodyBytes)),
});

const historyQuery = {
  agentId: optionalText('Only runs of this agent.'),
  limit: integerOr(200, 'The most runs, the latest ones.', { min: 1, max: 1_000 }),
};

export const suiteEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'installSuite',
    route: 'POST /v1/host/touchstone/suites',
    auth: 'suites:write',
    summary: 'Install a suite',
    body: suiteBody(host),
    responses: {
      200: { description: 'This very suite is installed already.', schema: vendor.suiteInstallation },
      201: { description: 'The suite is installed.', schema: vendor.suiteInstallation },
    },
    refusals: [
      'conflict',
      'quota_exceeded',
      'invalid_body',
      'pack_integrity_failure',
      'pack_signature_invalid',
    ],
    handle: (call) => install(host, call),
  }),
  endpoint({
    operationId: 'listSuites',
    route: 'GET /v1/host/touchstone/suites',
    auth: 'runs:read',
    summary: 'The suites the caller can run',
    parameters: pageQuery('suites'),
    responses: ok('Suites without their tasks.', vendor.page(vendor.suiteHead)),
    async handle(call) {
      const { limit, cursor } = call.query;
      return { status: 200, body: await host.touchstone.suites.list(call.principal.owner, limit, cursor) };
    },
  }),
  endpoint({
    operationId: 'getSuite',
    route: 'GET /v1/host/touchstone/suites/{suiteRef}',
    auth: 'runs:read',
    summary:
      'A suite with its tasks; the reference is <suiteId>@<version>, or <suiteId> for the highest version',
    responses: ok('The suite as it can be installed elsewhere.', 'agent-eval-suite'),
    refusals: ['not_found'],
    handle: (call) => read(host, call),
  }),
  endpoint({
    operationId: 'getSuiteSignature',
    route: 'GET /v1/host/touchstone/suites/{suiteRef}/signature',
    auth: 'runs:read',
    summary: 'Who has signed a suite, with the envelope that it came with',
    responses: ok('The key, and the DSSE envelope or the pack that says so.', vendor.suiteSignature),
    refusals: ['not_found'],
    handle: (call) => envelope(host, call),
  }),
  endpoint({
    operationId: 'getSuiteHistory',
    route: 'GET /v1/host/touchstone/suites/{suiteRef}/history',
    auth: 'runs:read',
    summary:
      'The completed runs of a suite, oldest first, and the gates that ask for it; <suiteId> stands for all versions',
    parameters: historyQuery,
    responses: ok('One point for each run.', vendor.suiteHistory),
    refusals: ['not_found'],
    handle: (call) => history(host, call),
  }),
  endpoint({
    operationId: 'getSuiteHead',
    route: 'GET /v1/host/touchstone/suites/{suiteRef}/head',
    auth: 'runs:read',
    summary: 'A suite without its tasks',
    responses: ok('What a list says of the suite.', vendor.suiteHead),
    refusals: ['not_found'],
    handle: async (call) => ({ status: 200, body: (await findSuite(host, call)).head }),
  }),
  endpoint({
    operationId: 'checkSuite',
    route: 'POST /v1/host/touchstone/suites:check',
    auth: 'suites:write',
    summary: 'Check a suite as a run would, with the patterns and schemas of its checks. Installs nothing',
    body: suiteBody(host),
    responses: ok('Nothing is wrong with the suite.', vendor.installedSuite),
    async handle({ body: suite, principal }) {
      const issues = await host.touchstone.suiteIssues(principal.owner, suite);
      if (issues.length > 0) throw validationError(issues);
      return { status: 200, body: identityOf(suite) };
    },
  }),
];

const identityOf = ({ head: { suiteId, version, digest } }: Suite): InstalledSuite => ({
  suiteRef: `${suiteId}@${version}`,
  suiteId,
  version,
  digest,
});

export async function findSuite({ touchstone }: Services, call: Call): Promise<SuiteVisible> {
  const visible = await touchstone.suites
    .find(call.principal.owner, call.params.suiteRef ?? '')
    .catch(noSuch);
  if (visible) return visible;
  throw new HostError('not_found', 'There is no such suite.');
}

async function history(
  { touchstone }: Services,
  { principal: { owner }, params, query }: Call<QueryOf<typeof historyQuery>>,
): Promise<Reply> {
  const reference = params.suiteRef ?? '';
  const [suiteId = '', version] = reference.split('@');
  const body = await touchstone.history(owner, {
    suiteId,
    version,
    limit: query.limit,
    ...defined({ agentId: query.agentId }),
  });
  if (body.points.length > 0 || (await touchstone.suites.find(owner, reference).catch(noSuch)))
    return { status: 200, body };
  throw new HostError('not_found', 'There is no such suite.');
}

async function install({ touchstone }: Services, call: Call<unknown, Suite>): Promise<Reply> {
  const installed = await touchstone.suites.install(call.principal.owner, call.body, envelopeOf(call));
  const { outcome, signedBy, warnings } = installed;
  const body = {
    ...identityOf(call.body),
    ...defined({ signedBy }),
    ...(warnings.length > 0 && { warnings }),
  };
  return {
    status: outcome === 'created' ? 201 : 200,
    body,
    headers: { 'touchstone-outcome': outcome },
  };
}

const ENVELOPE_HEADER = 'touchstone-suite-envelope';

/** The envelope travels beside the suite, which stays the document that its schema describes: base64 in a header. */
function envelopeOf({ headers }: Call): string | undefined {
  const sent = headers[ENVELOPE_HEADER];
  if (sent === undefined) return undefined;
  const text = typeof sent === 'string' ? Buffer.from(sent, 'base64') : Buffer.alloc(0);
  if (text.length > 0 && text.toString('base64') === sent) return text.toString();
  throw new HostError(
    'invalid_body',
    `Expected the header ${ENVELOPE_HEADER} to hold the envelope of the suite as standard base64, once.`,
  );
}

/** As it was sent by whoever installed it, to be shown to others. */
async function envelope(host: Services, call: Call): Promise<Reply> {
  const { head } = await findSuite(host, call);
  const signature = await host.touchstone.suites.signature(call.principal.owner, head.digest);
  if (!signature) throw new HostError('not_found', 'No key is known to have signed this suite.');
  const { keyId, pack, trusted } = signature;
  const envelope = signature.envelope === undefined ? undefined : JSON.parse(signature.envelope);
  return { status: 200, body: defined({ keyId, trusted, pack, envelope }) };
}

async function read(host: Services, call: Call): Promise<LargeReply> {
  const found = await findSuite(host, call);
  return {
    async large() {
      const suite = await host.touchstone.suites.read(found);
      return { status: 200, body: suiteDocument(suite), headers: { etag: `"${suite.head.digest}"` } };
    },
  };
}
