import { asId, HostError, type RunId } from '@touchstone/protocol';
import type { CompileRequest } from '../../../app/index.js';
import { bodyOf, type Call, type Endpoint, endpoint, type Reply } from '../../endpoint.js';
import { runIdOf, type Services } from '../../services.js';
import { contractReport } from '../../shapes/report-shape.js';
import { closed } from '../../shapes/vendor-shapes.js';

const suitePart = (description: string) =>
  ({ type: 'string', minLength: 1, maxLength: 64, description }) as const;

const compileBody = closed(
  {
    definition: { type: 'object', description: 'An agent definition, of form A or B.' },
    rows: { type: 'array', items: {}, description: 'Rows, instead of the dataset that the profile names.' },
    agent: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description: 'Which agent of a manifest; needed when several have a profile.',
    },
    targetAgentId: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description:
        'The id of the agent on this host, without a version, when it is another than in the definition.',
    },
    scope: suitePart('First part of the suite id; local by default.'),
    org: suitePart('Second part of the suite id; the author by default.'),
    suiteName: suitePart(
      "Last part of the suite id; the agent's name by default. Two agents held to one contract need two.",
    ),
    install: { type: 'boolean', description: 'Also install the suite with its contract.' },
  },
  ['definition'],
);
const warning = closed(
  {
    code: { type: 'string' },
    message: { type: 'string' },
    pointer: { type: 'string' },
    line: { type: 'integer' },
  },
  ['code', 'message'],
);
const compiled = closed(
  {
    suite: { type: 'object' },
    contract: { type: 'object' },
    digest: { type: 'string', description: 'Of the contract.' },
    warnings: { type: 'array', items: warning },
    suiteRef: { type: 'string', description: 'When it was installed: what to name in evalSuiteRef.' },
  },
  ['suite', 'contract', 'digest', 'warnings'],
);

export const profileEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'compileProfile',
    method: 'POST',
    path: '/v1/host/touchstone/profiles:compile',
    auth: 'suites:write',
    summary: 'Compile the test contract that an agent definition carries into a suite',
    body: bodyOf<CompileRequest>(compileBody),
    responses: {
      200: { description: 'The suite and its contract.', schema: compiled },
      201: { description: 'The same, and both are installed now.', schema: compiled },
    },
    refusals: ['conflict', 'capability_not_provided', 'unavailable'],
    handle: (call) => compile(host, call),
  }),
  endpoint({
    operationId: 'getContractReport',
    method: 'GET',
    path: '/v1/host/touchstone/runs/{runId}/contract-report',
    auth: 'runs:read',
    summary: 'Whether an eval run kept the contract that its agent carries',
    responses: { 200: { description: 'The report.', schema: contractReport } },
    refusals: ['not_found', 'run_state_conflict'],
    async handle(call) {
      if (!host.evalSuite) throw new HostError('not_found', 'This host does not run evaluations.');
      const { owner } = call.principal;
      return { status: 200, body: await host.touchstone.contractReport(owner, asId<RunId>(runIdOf(call))) };
    },
  }),
];

async function compile(host: Services, { principal, body }: Call<unknown, CompileRequest>): Promise<Reply> {
  const { document, pinned, warnings, suite, installed } = await host.touchstone.compileDefinition(
    principal.owner,
    body,
  );
  return {
    status: installed === 'created' ? 201 : 200,
    body: {
      suite: document,
      contract: pinned.contract,
      digest: pinned.digest,
      warnings,
      ...(installed && { suiteRef: `${suite.head.suiteId}@${suite.head.version}` }),
    },
  };
}
