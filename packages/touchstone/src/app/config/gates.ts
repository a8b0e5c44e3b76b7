import {
  type ApprovalPolicy,
  asId,
  DEPLOYMENT_STATES,
  defined,
  type GateId,
  type GatePolicy,
  type Issue,
  isHostError,
  type RequiredCalibration,
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
  issueAt,
  mark,
  name,
  number,
  ruled,
  text,
} from '@touchstone/protocol/schema';
import { parseSuiteReference } from '../../suites/index.js';
import type { Roles } from '../principal.js';

const suiteReference = ruled(name(), (suite) =>
  issueAt('', !isSuiteReference(suite) && 'expected <suiteId> or <suiteId>@<version>'),
);
const judge = either(
  text(undefined, {
    pattern: '^(sha256:|[^/]+/.|[^/@]+@.)',
    title: 'provider/model, the digest of a judge, or <judgeId>@<version>',
  }),
  ruled(
    closed(
      {},
      {
        model: name(),
        digest: name(),
        judge: name(),
        minKappa: number(undefined, { minimum: -1, maximum: 1 }),
        minLabels: integer(undefined, { minimum: 1 }),
        blindOnly: flag(),
        maxAgeDays: amount(),
        conservative: flag(),
      },
    ),
    judgeIssues,
  ),
);

/** Names one judge at most, and asks for something. */
function judgeIssues(input: Exclude<JudgeInput, string>): readonly Issue[] {
  const { model, digest, judge: portable, ...wanted } = input;
  const named = [model, digest, portable].filter((one) => one !== undefined).length;
  const isEmpty = named === 0 && wanted.minKappa === undefined && wanted.minLabels === undefined;
  return [
    ...issueAt('', named > 1 && 'expected only one of "model", "digest" and "judge"'),
    ...issueAt('', isEmpty && 'expected "model", "digest", "judge", "minKappa" or "minLabels"'),
    ...issueAt(
      '/conservative',
      wanted.conservative === true && wanted.minKappa === undefined && 'needs "minKappa"',
    ),
  ];
}

const requiredEval = closed(
  { suite: suiteReference },
  {
    requiredPassScore: fraction(),
    judge,
    maxAgeHours: amount(),
    acceptOverrides: flag(),
    noRegression: flag(),
    requireConclusive: flag(),
    requireFollowedFiles: flag(),
    signedSuite: flag(),
  },
);

const approval = ruled(
  closed(
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
  ),
  (policy) => [
    ...issueAt(
      '',
      policy.requiredRole === undefined &&
        policy.requiredScope === undefined &&
        'expected "requiredRole" or "requiredScope": somebody has to be the one who grants',
    ),
    ...issueAt(
      '/overrideBypassesQuorum',
      policy.overrideBypassesQuorum &&
        !policy.override &&
        'expected "override" beside it: nobody may override here',
    ),
  ],
);

/** Nothing leads to `draft`, and a way back is never closed. */
const GUARDED = DEPLOYMENT_STATES.filter((state) => state !== 'draft' && state !== 'rolled-back');

export const gateShape = ruled(
  closed(
    {
      agentId: text(undefined, {
        pattern: '^([^*]+\\*?|\\*)$',
        title: 'an agentId, or the beginning of one followed by *',
      }),
      to: choice(GUARDED),
    },
    {
      gateId: text(undefined, { pattern: '^[A-Za-z0-9][A-Za-z0-9._:*/@-]{0,127}$', title: 'a short name' }),
      tenant: name(),
      requiredEval,
      approval,
    },
  ),
  (gate) =>
    issueAt(
      '',
      !gate.requiredEval &&
        !gate.approval &&
        'expected "requiredEval" or "approval", or both; this gate asks for nothing',
    ),
);

type JudgeInput =
  | string
  | (RequiredCalibration & {
      readonly model?: string;
      readonly digest?: string;
      /** `<judgeId>@<version>` of a portable judge. */
      readonly judge?: string;
    });

/** A gate as its author writes it. */
export type GateInput = Pick<GatePolicy, 'agentId' | 'to' | 'tenant'> & {
  /** Names the gate in events, votes and the audit log; made from agent and state when absent. */
  readonly gateId?: string;
  /** The eval run that the gate asks for; absent when it asks for none. */
  readonly requiredEval?: Omit<RequiredEval, 'judge' | 'calibration'> & { readonly judge?: JudgeInput };
  /** The approvals that the gate asks for; `quorum` is 1 when absent. */
  readonly approval?: Omit<ApprovalPolicy, 'gateId' | 'quorum'> & { readonly quorum?: number };
};

function isSuiteReference(text: string): boolean {
  try {
    return parseSuiteReference(text) !== undefined;
  } catch (error) {
    if (!isHostError(error)) throw error;
    return false;
  }
}

/** What a shape cannot say: a gate has a name of its own, and the roles it speaks of exist. */
export function gateIssues(gates: readonly GateInput[], roles: Roles): readonly Issue[] {
  const names = gates.map(gateName);
  const unknown = `no such role; known are ${Object.keys(roles).join(', ')}`;
  return gates.flatMap(({ approval = {} }, index) => {
    const pointer = `/gates/${index}`;
    const isTaken = names.indexOf(names[index] ?? '') !== index;
    const named = { '': approval.requiredRole, '/override': approval.override?.requiredRole };
    return [
      ...Object.entries(named).flatMap(([member, role]) =>
        issueAt(
          `${pointer}/approval${member}/requiredRole`,
          role !== undefined && !Object.hasOwn(roles, role) && unknown,
        ),
      ),
      ...issueAt(
        pointer,
        isTaken && `there is another gate named ${names[index]}; give one a "gateId" of its own`,
      ),
    ];
  });
}

const gateName = ({ gateId, agentId, to, tenant }: GateInput): string =>
  gateId ?? `${tenant === undefined ? '' : `${tenant}/`}${agentId}:${to}`;

export const completeGates = (gates: readonly GateInput[]): readonly GatePolicy[] =>
  gates.map((gate) => {
    const gateId = asId<GateId>(gateName(gate));
    const { agentId, to, tenant, requiredEval: required, approval: policy } = gate;
    return defined({
      gateId,
      agentId,
      to,
      tenant,
      requiredEval: required && completeEval(required),
      approval: policy && { ...policy, gateId, quorum: policy.quorum ?? 1 },
    });
  });

function completeEval({ judge, ...required }: NonNullable<GateInput['requiredEval']>): RequiredEval {
  if (typeof judge !== 'object') return { ...required, ...defined({ judge }) };
  const { model, digest, judge: portable, ...calibration } = judge;
  return {
    ...required,
    ...defined({ judge: model ?? digest ?? portable }),
    // The other members say how: without one of these two nothing is asked of the labels.
    ...((calibration.minKappa ?? calibration.minLabels) !== undefined && { calibration }),
  };
}
