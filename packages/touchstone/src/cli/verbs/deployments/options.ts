import { defined, isHostError, type Transition } from '@touchstone/protocol';
import { parseAgentReference } from '../../../suites/index.js';
import { UsageError } from '../../io.js';
import { flag, type Where } from '../../session.js';

/** Where a promotion leads, as it is said on the command line. */
export type TargetOptions = {
  readonly to?: PromotedState;
  readonly channel?: string;
  readonly canary?: number;
  readonly wait?: number | true;
};
type PromotedState = 'test' | 'staged' | 'active';

/** Options of `touchstone promote`, as the parser hands them over. */
export type PromoteOptions = TargetOptions &
  Where & {
    readonly evalRun?: string;
    readonly reason?: string;
    readonly pause?: boolean;
    readonly deprecate?: boolean;
    readonly rollback?: boolean;
    readonly share?: number;
  };

/** What is asked for, in one piece. */
export type PromotionRequest = {
  readonly agentId: string;
  readonly version: string;
  readonly transition: Transition;
  /** Of a promotion. */
  readonly to?: PromotedState;
  readonly channel?: string;
  readonly canaryPercent?: number;
  /** A run id, or `last`. */
  readonly evalRun?: string;
  readonly reason?: string;
  /** Seconds; true waits as long as it takes. */
  readonly wait?: number | true;
};

export function promotionRequest(argument: string, options: PromoteOptions): PromotionRequest {
  const { agentId, version } = readReference(argument);
  if (version === undefined)
    throw new UsageError(
      `Which version of ${agentId}? Name one, as in ${agentId}@1.0.0.`,
      `See its versions with: touchstone deployments ${agentId}`,
    );
  const transition = transitionOf(options);
  checkTarget(transition, options);
  const { channel, evalRun, reason, wait, share, canary = share } = options;
  return {
    agentId,
    version,
    transition,
    ...(transition === 'promote' && { to: options.to ?? 'active' }),
    ...defined({ channel, canaryPercent: canary, evalRun, reason, wait }),
  };
}

export function readReference(argument: string): { readonly agentId: string; readonly version?: string } {
  try {
    const { agentId, version } = parseAgentReference(argument);
    return { agentId, ...defined({ version }) };
  } catch (error) {
    if (!isHostError(error)) throw error;
    throw new UsageError('Expected an agent and its version, as in local.acme.support@1.0.0.');
  }
}

/** By the flag that asks for it; without one, a promotion. */
const FLAGS = [
  ['--pause', 'pause', ({ pause }) => pause === true],
  ['--deprecate', 'deprecate', ({ deprecate }) => deprecate === true],
  ['--rollback', 'rollback', ({ rollback }) => rollback === true],
  ['--share', 'adjust-canary', ({ share }) => share !== undefined],
  ['--to', 'promote', ({ to }) => to !== undefined],
] as const satisfies readonly (readonly [string, Transition, (options: PromoteOptions) => boolean])[];

function transitionOf(options: PromoteOptions): Transition {
  const [one, other] = FLAGS.filter(([, , isGiven]) => isGiven(options));
  if (one && other)
    throw new UsageError(
      `${one[0]} and ${other[0]} are two different things to do.`,
      'Leave one of them out, or do one after the other.',
    );
  return one?.[1] ?? 'promote';
}

/** Options that do not apply to the move are usage errors. */
function checkTarget(transition: Transition, options: PromoteOptions): void {
  const { to = 'active', channel, canary, evalRun, reason } = options;
  const isToActive = transition === 'promote' && to === 'active';
  const stray =
    channel !== undefined && !isToActive && transition !== 'rollback'
      ? ['--channel', 'a promotion to active, or a rollback']
      : canary !== undefined && !isToActive
        ? ['--canary', 'a promotion to active; for a version that serves already there is --share']
        : evalRun !== undefined && transition !== 'promote'
          ? ['--eval-run', 'a promotion']
          : undefined;
  if (stray) throw new UsageError(`${stray[0]} is for ${stray[1]}.`, `Leave ${stray[0]} out.`);
  for (const [name, text] of Object.entries({ '--reason': reason, '--eval-run': evalRun }))
    if (text !== undefined && text.trim() === '')
      throw new UsageError(`${name} is empty.`, 'Say something, or leave it out.');
}

/** The same place in the words of a command; what goes without saying is left out. */
export const targetFlags = ({ to, channel, canaryPercent }: PromotionRequest): readonly string[] => [
  ...flag('--to', to === 'active' ? undefined : to),
  ...flag('--channel', channel),
  ...flag('--canary', canaryPercent),
];
