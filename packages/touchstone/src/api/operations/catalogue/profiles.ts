import { asId, type CompileProfile, type RunId } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { bodyOf, type Call, type Endpoint, endpoint, ok, type Reply } from '../../endpoint.js';
import { checkEvaluation, runIdOf, type Services } from '../../services.js';

export const profileEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'compileProfile',
    route: 'POST /v1/host/touchstone/profiles:compile',
    auth: 'suites:write',
    summary: 'Compile the test contract that an agent definition carries into a suite',
    body: bodyOf(vendor.compileBody),
    responses: {
      200: { description: 'The suite and its contract.', schema: vendor.compiledProfile },
      201: { description: 'The same, and both are installed now.', schema: vendor.compiledProfile },
    },
    refusals: ['conflict', 'quota_exceeded', 'capability_not_provided', 'unavailable'],
    handle: (call) => compile(host, call),
  }),
  endpoint({
    operationId: 'getContractReport',
    route: 'GET /v1/host/touchstone/runs/{runId}/contract-report',
    auth: 'runs:read',
    summary: 'Whether an eval run kept the contract that its agent carries',
    responses: ok('The report.', vendor.contractReport),
    refusals: ['not_found', 'run_state_conflict'],
    async handle(call) {
      checkEvaluation(host);
      const { owner } = call.principal;
      return { status: 200, body: await host.touchstone.contractReport(owner, asId<RunId>(runIdOf(call))) };
    },
  }),
];

async function compile(host: Services, { principal, body }: Call<unknown, CompileProfile>): Promise<Reply> {
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
