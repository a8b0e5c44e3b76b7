import {
  type ApprovalPolicy,
  asId,
  DEPLOYMENT_STATES,
  type DeploymentState,
  type GateId,
  type GatePolicy,
  type Issue,
  isHostError,
  type RequiredEval,
} from '@touchstone/protocol';
import {
  amount,
  choice,
  closed,
  either,
  flag,
  fraction,
  integer,
  mark,
  name,
  type Schema,
  text,
} from '@touchstone/protocol/schema';
import { parseSuiteReference } from '../../suites/index.js';
import type { Roles } from '../principal.js';

type JudgeInput = string | { readonly model?: string; readonly digest?: string };

/** A gate as its author writes it. */
export type GateInput = {
  /** Names the gate in events, votes and the audit log; made from agent and state when absent. */
  readonly gateId?: string;
  /** The agent that the gate guards, or the beginning of ids followed by `*`. */
  readonly agentId: string;
  /** The state that the gate guards. */
  readonly to: DeploymentState;
  /** The tenant whose agents it guards; all tenants when absent. */
  readonly tenant?: string;
  /** The eval run that the gate asks for; absent when it asks for none. */
  readonly requiredEval?: Omit<RequiredEval, 'judge'> & { readonly judge?: JudgeInput };
  /** The approvals that the gate asks for; `quorum` is 1 when absent. */
  readonly approval?: Omit<ApprovalPolicy, 'gateId' | 'quorum'> & { readonly quorum?: number };
};

const requiredEval = closed(
  { suite: name() },
  {
    requiredPassScore: fraction(),
    judge: either(
      name(),
      closed({}, { model: name(), digest: name() }),
      'provider/model, or the digest of a judge',
    ),
    maxAgeHours: amount(),
    acceptOverrides: flag(),
    noRegression: flag(),
    requireConclusive: flag(),
  },
);

const approval = closed(
  {},
  {
    requiredRole: name(),
    requiredScope: name(),
    quorum: integer(undefined, { minimum: 1, maximum: 100 }),
    // An override is always in the audit log; saying so is allowed, asking for less is not.
    override: closed({ requiredRole: name() }, { audited: mark() }),
    overrideBypassesQuorum: flag(),
    timeoutSec: integer(undefined, { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    excludeRequester: flag(),
  },
);

/** Nothing leads to `draft`, and a way back is never closed. */
const GUARDED = DEPLOYMENT_STATES.filter((state) => state !== 'draft' && state !== 'rolled-back');

export const gateShape: Schema = closed(
  { agentId: name(), to: choice(GUARDED) },
  {
    gateId: text(undefined, { pattern: '^[A-Za-z0-9][A-Za-z0-9._:*/@-]{0,127}$', title: 'a short name' }),
    tenant: name(),
    requiredEval,
    approval,
  },
);

/** What a shape cannot say: a gate asks for something, of someone who exists, and has a name of its own. */
export function gateIssues(gates: readonly GateInput[], roles: Roles): readonly Issue[] {
  const names = gates.map(gateName);
  return gates.flatMap((gate, index): Issue[] => {
    const pointer = `/gates/${index}`;
    const issues = [
      ...evalIssues(gate.requiredEval, pointer),
      ...approvalIssues(gate.approval, roles, pointer),
    ];
    if (!gate.requiredEval && !gate.approval)
      issues.push({
        pointer,
        message: 'expected "requiredEval" or "approval", or both; this gate asks for nothing',
      });
    if (!isPattern(gate.agentId))
      issues.push({
        pointer: `${pointer}/agentId`,
        message: 'expected an agentId, or the beginning of one followed by *',
      });
    if (names.indexOf(names[index] as string) !== index)
      issues.push({
        pointer,
        message: `there is another gate named ${names[index]}; give one a "gateId" of its own`,
      });
    return issues;
  });
}

const isPattern = (agentId: string): boolean => !agentId.slice(0, -1).includes('*');

function evalIssues(required: GateInput['requiredEval'], place: string): Issue[] {
  if (!required) return [];
  const issues: Issue[] = [];
  if (!isSuiteReference(required.suite))
    issues.push({
      pointer: `${place}/requiredEval/suite`,
      message: 'expected <suiteId> or <suiteId>@<version>',
    });
  const { judge } = required;
  if (typeof judge === 'object' && Object.keys(judge).length !== 1)
    issues.push({ pointer: `${place}/requiredEval/judge`, message: 'expected "model" or "digest"' });
  if (typeof judge === 'string' && !/^(sha256:|[^/]+\/.)/.test(judge))
    issues.push({ pointer: `${place}/requiredEval/judge`, message: 'expected provider/model, or a digest' });
  return issues;
}

function isSuiteReference(text: string): boolean {
  try {
    return parseSuiteReference(text) !== undefined;
  } catch (error) {
    if (!isHostError(error)) throw error;
    return false;
  }
}

function approvalIssues(policy: GateInput['approval'], roles: Roles, place: string): Issue[] {
  if (!policy) return [];
  const issues: Issue[] = [];
  if (policy.requiredRole === undefined && policy.requiredScope === undefined)
    issues.push({
      pointer: `${place}/approval`,
      message: 'expected "requiredRole" or "requiredScope": somebody has to be the one who grants',
    });
  if (policy.overrideBypassesQuorum && !policy.override)
    issues.push({
      pointer: `${place}/approval/overrideBypassesQuorum`,
      message: 'expected "override" beside it: nobody may override here',
    });
  const named = {
    '/requiredRole': policy.requiredRole,
    '/override/requiredRole': policy.override?.requiredRole,
  };
  for (const [member, role] of Object.entries(named))
    if (role !== undefined && !Object.hasOwn(roles, role))
      issues.push({
        pointer: `${place}/approval${member}`,
        message: `no such role; known are ${Object.keys(roles).join(', ')}`,
      });
  return issues;
}

const gateName = ({ gateId, agentId, to, tenant }: GateInput): string =>
  gateId ?? `${tenant === undefined ? '' : `${tenant}/`}${agentId}:${to}`;

export const completeGates = (gates: readonly GateInput[]): readonly GatePolicy[] =>
  gates.map((gate) => {
    const gateId = asId<GateId>(gateName(gate));
    const { agentId, to, tenant, requiredEval: demanded, approval: asked } = gate;
    return {
      gateId,
      agentId,
      to,
      ...(tenant !== undefined && { tenant }),
      ...(demanded && { requiredEval: completeEval(demanded) }),
      ...(asked && { approval: { ...asked, gateId, quorum: asked.quorum ?? 1 } }),
    };
  });

function completeEval({ judge, ...required }: NonNullable<GateInput['requiredEval']>): RequiredEval {
  const named = typeof judge === 'object' ? (judge.model ?? judge.digest) : judge;
  return { ...required, ...(named !== undefined && { judge: named }) };
}
