import {
  HostError,
  type Issue,
  type JsonObject,
  type Principal,
  validationError,
} from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import { ENGINE_VERSION } from '../../engine/index.js';
import type { Ids, NewRun, Run } from '../../ports/index.js';
import { type CreateRunBody, evaluationOff, type PlanParts, planRun } from './plan-run.js';

type CreateParts = PlanParts & { readonly ids: Ids };

/** Resolves, checks and stores a run. Whatever is refused is refused here, and nothing has been created then. */
export async function createRun(
  parts: CreateParts,
  principal: Principal,
  body: CreateRunBody,
  options: { readonly origin: Run['origin']; readonly exclusiveScope?: boolean },
): Promise<Run> {
  checkShape(body, parts.evalSettings !== undefined);
  const { workflowId, plan } = await planRun(parts, principal.owner, body);
  const run: NewRun = {
    runId: parts.seamRunId ?? parts.ids.runId(),
    owner: principal.owner,
    principal: principal.id,
    origin: options.origin,
    workflowId,
    plan,
    request: requestOf(body),
    createdAt: parts.clock.now(),
    engineVersion: ENGINE_VERSION,
  };
  const created = await parts.store.runs.create(run, options.exclusiveScope ? { exclusiveScope: true } : {});
  if ('activeRunId' in created) throw alreadyActive(created.activeRunId);
  return created;
}

const requestOf = (body: CreateRunBody): Run['request'] => ({
  ...(body.inputs && { inputs: toBody(body.inputs as JsonObject) }),
  ...(body.configurable && { configurable: body.configurable as JsonObject }),
  ...(body.tags && { tags: body.tags }),
  ...(body.metadata && { metadata: body.metadata as JsonObject }),
  ...(body.scopeId !== undefined && { scopeId: body.scopeId }),
});

const alreadyActive = (activeRunId: string): HostError =>
  new HostError(
    'run_already_active',
    `Run ${activeRunId} of the same scope is still active. Wait for it or cancel it.`,
    { activeRunId, activeHost: 'cloud', retryAfter: 5 },
  );

/** Members that contradict each other, and one for which this host has nothing to offer. */
function checkShape(body: CreateRunBody, evaluates: boolean): void {
  if (body.mode === 'eval' && !evaluates) {
    throw evaluationOff();
  }
  const issues: Issue[] = [...(body.mode === 'eval' ? evalIssues(body) : plainIssues(body))];
  if (body.workflowId !== undefined && body.agentId !== undefined) {
    issues.push({ pointer: '/workflowId', message: 'Expected either workflowId or agentId, not both.' });
  }
  if (issues.length > 0) throw validationError(issues, { field: issues[0]?.pointer.slice(1) });
  if (body.configurable?.mockProvider !== undefined) {
    throw new HostError(
      'mock_provider_forbidden',
      'configurable.mockProvider needs a test key, and this host has none.',
    );
  }
}

const evalIssues = (body: CreateRunBody): Issue[] =>
  (['evalSuiteRef', 'agentId'] as const)
    .filter((member) => body[member] === undefined)
    .map((member) => ({ pointer: `/${member}`, message: 'Required with mode "eval".' }));

function plainIssues(body: CreateRunBody): Issue[] {
  if (body.evalSuiteRef !== undefined)
    return [{ pointer: '/mode', message: 'Expected "eval", because evalSuiteRef is given.' }];
  if (body.workflowId !== undefined || body.agentId !== undefined) return [];
  return [
    {
      pointer: '/workflowId',
      message: 'Expected workflowId, agentId, or mode "eval" with evalSuiteRef and agentId.',
    },
  ];
}
