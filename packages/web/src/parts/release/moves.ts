import type { BoardAgent, BoardVersion, DeploymentState, MoveReview } from '@touchstone/protocol';
import type { ReviewedMove, TransitionDeployment } from '@touchstone/sdk';
import { client } from '../../source.js';

export type MoveKind = 'promote' | 'share' | 'rollback' | 'pause' | 'deprecate';

type MoveFacts = {
  /** Of the button and of the dialog that it opens. */
  readonly name: string;
  readonly confirm: string;
  readonly scope: string;
  /** States in which a version can be moved so. */
  readonly from: readonly DeploymentState[];
};

/** What can be done with a version, as people call it. */
export const MOVES: { readonly [kind in MoveKind]: MoveFacts } = {
  promote: {
    name: 'Promote…',
    confirm: 'Promote now',
    scope: 'deploy:promote',
    from: ['draft', 'test', 'staged', 'active', 'paused'],
  },
  share: { name: 'Share…', confirm: 'Set share', scope: 'deploy:promote', from: ['active'] },
  rollback: { name: 'Roll back…', confirm: 'Roll back', scope: 'deploy:rollback', from: ['active'] },
  pause: { name: 'Pause…', confirm: 'Pause', scope: 'deploy:pause', from: ['active'] },
  deprecate: { name: 'Deprecate…', confirm: 'Deprecate', scope: 'deploy:pause', from: ['active'] },
};

/** What a person has set in the dialog. */
export type MoveForm = {
  readonly to: 'test' | 'staged' | 'active';
  readonly channel: 'stable' | 'canary';
  readonly share: number;
  readonly evalRunId?: string;
  readonly reason: string;
};

const LEAVES = { rollback: 'rolled-back', pause: 'paused', deprecate: 'deprecated' } as const;

/** The same as a question to the host. */
export function questionOf(kind: MoveKind, { version }: BoardVersion, form: MoveForm): ReviewedMove {
  const { to, channel, share, evalRunId } = form;
  if (kind === 'share') return { version, canaryPercent: share };
  if (kind !== 'promote') return { version, to: LEAVES[kind] };
  return {
    version,
    to,
    ...(to === 'active' && { channel, ...(share < 100 && { canaryPercent: share }) }),
    ...(evalRunId !== undefined && { evalRunId }),
  };
}

const TRANSITIONS = {
  promote: 'promote',
  share: 'adjust-canary',
  rollback: 'rollback',
  pause: 'pause',
  deprecate: 'deprecate',
} as const;

/** The run that asks people, when somebody has to agree. */
export type MoveResult = { readonly waitingRun?: string };

/** Asks for the move: every state on the way, one after the other, up to the first that waits for people. */
export async function carryOut(
  kind: MoveKind,
  { agentId }: BoardAgent,
  version: BoardVersion,
  form: MoveForm,
  { steps }: MoveReview,
): Promise<MoveResult> {
  const { version: _, to: __, ...where } = questionOf(kind, version, form);
  const { evalRunId, ...place } = where;
  const reason = form.reason.trim();
  const common = {
    version: version.version,
    transition: TRANSITIONS[kind],
    ...(evalRunId !== undefined && { evalRunId }),
    ...(reason !== '' && { reason }),
  };
  for (const [at, toState] of steps.entries()) {
    const isLast = at === steps.length - 1;
    const body = { ...common, ...(kind === 'promote' && { toState }), ...(isLast && place) };
    const { runId, waiting } = await client.deployments.transition(agentId, body as TransitionDeployment);
    if (waiting) return { waitingRun: runId ?? '' };
  }
  return {};
}
