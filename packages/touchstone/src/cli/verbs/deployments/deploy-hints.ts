import {
  type DeploymentState,
  type EvidenceReason,
  type Issue,
  isHostError,
  type RunId,
  validationError,
} from '@touchstone/protocol';
import { HostResponseError } from '@touchstone/sdk';
import type { Context } from '../../io.js';
import { commandToType, flag } from '../../next-commands.js';
import { type Refusal, type Where, whereOthers, whereWords } from './deploy-door.js';
import { placeWords, type Wish } from './deploy-options.js';
import type { Step } from './deploy-steps.js';

export type NextCommand = { readonly command: string; readonly does: string };

/** What a person types to answer. */
export const waitingWords = (context: Context, runId: RunId, where: Where): string =>
  `waiting for approval: ${commandToType(context, ['approve', runId, ...whereOthers(where)].join(' '))}`;

/** Reasons that lie in what the run has shown: a look at it helps more than another run. */
const SHOWN: ReadonlySet<string> = new Set<EvidenceReason>([
  'unscored',
  'below_score',
  'not_passed',
  'contract_unmet',
  'regression',
  'inconclusive',
]);

/** What to type after a refusal. */
export function nextAfter(
  context: Context,
  wish: Wish,
  where: Where,
  { toState, error }: Pick<Step, 'toState' | 'error'>,
  evalRunId: string | undefined,
): readonly NextCommand[] {
  const { code, details = {} }: Refusal = error ?? { code: '', message: '' };
  const next = (words: readonly string[], does: string): NextCommand => ({
    command: commandToType(context, [...words, ...whereWords(where)].join(' ')),
    does,
  });
  if (code === 'conflict') return [next(['deployments', wish.agentId], 'what serves now')];
  if (code === 'approval_timeout') return [next(promoteWords(wish), 'ask again')];
  if (code !== 'eval_gate_unmet') return [];
  const reason = String(details.reason);
  if (reason === 'not_finished') return [next(promoteWords(wish), 'ask again when it has ended')];
  const again = next(
    evidenceWords(upTo(wish, toState), details.suite),
    `make the evidence, and promote ${toState === wish.to ? 'on it' : `to ${toState} on it`}`,
  );
  if (reason === 'not_compared' && typeof details.serving === 'string')
    return [
      next(runWords(`${wish.agentId}@${details.serving}`, details.suite), 'what serves, on the same suite'),
      next(promoteWords(wish), 'then ask again'),
    ];
  // A run on another host cannot be shown from here.
  if (!SHOWN.has(reason) || evalRunId === undefined || where.host !== undefined) return [again];
  return typeof details.against === 'string'
    ? [next(['compare', details.against, evalRunId], 'what got worse'), again]
    : [next(['show', evalRunId], 'what the run has shown'), again];
}

/** Gates on the way may ask for runs of different suites: each is passed with its own. */
function upTo(wish: Wish, toState: DeploymentState): Wish {
  if (toState === wish.to || (toState !== 'test' && toState !== 'staged')) return wish;
  const { channel: _channel, canaryPercent: _share, ...rest } = wish;
  return { ...rest, to: toState };
}

const ref = ({ agentId, version }: Wish): string => `${agentId}@${version}`;

const runWords = (agent: string, suite: unknown): readonly string[] => [
  'run',
  typeof suite === 'string' && suite !== '' ? suite : '<suite>',
  ...flag('--agent', agent),
];

const evidenceWords = (wish: Wish, suite: unknown): readonly string[] => [
  ...runWords(ref(wish), suite),
  '--promote',
  ...placeWords(wish),
];

const promoteWords = (wish: Wish): readonly string[] => [
  'promote',
  ref(wish),
  ...placeWords(wish),
  ...flag('--eval-run', wish.evalRun),
];

/** The host speaks of members of a request; whoever typed a command knows flags. */
export function inWordsOfTheCommand(error: unknown, { channel }: Pick<Wish, 'channel'>): never {
  const isRefusal = isHostError(error) || error instanceof HostResponseError;
  const issues = isRefusal ? (error.details?.issues as readonly Issue[] | undefined) : undefined;
  if (!isRefusal || error.code !== 'validation_error' || !issues) throw error;
  throw validationError(
    issues.map(({ pointer, message }) => ({
      // What nobody has typed is not what is wrong.
      pointer: pointer === '/channel' && channel === undefined ? '/transition' : pointer,
      message: message.replaceAll('adjust-canary', '--share').replaceAll('toState', '--to'),
    })),
  );
}
