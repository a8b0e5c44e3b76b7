import {
  type DeploymentState,
  type EvidenceReason,
  type Issue,
  type RunId,
  validationError,
} from '@touchstone/protocol';
import { HostResponseError } from '@touchstone/sdk';
import type { Context } from '../../io.js';
import type { NextCommand } from '../../render/layout.js';
import { shell } from '../../render/shell.js';
import { commandToType, flag, type Where } from '../../session.js';
import { type PromotionRequest, targetFlags } from './options.js';
import type { Refusal, Step } from './transitions.js';

/** What a person types to answer, with a key of their own. */
export function waitingLine(context: Context, runId: RunId, { host }: Where): string {
  const where = host === undefined ? [] : [...flag('--host', host), "--key-env <approver's key>"];
  return `waiting for approval: ${commandToType(context, [shell`approve ${runId}`, ...where].join(' '))}`;
}

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
export function commandsAfter(
  context: Context,
  request: PromotionRequest,
  where: Where,
  { toState, error }: Pick<Step, 'toState' | 'error'>,
  evalRunId: string | undefined,
): readonly NextCommand[] {
  const { code, details = {} }: Refusal = error ?? { code: '', message: '' };
  const next = (words: readonly string[], does: string): NextCommand => ({
    command: commandToType(context, words.join(' '), where),
    does,
  });
  if (code === 'conflict') return [next([shell`deployments ${request.agentId}`], 'what serves now')];
  if (code === 'approval_timeout') return [next(promoteWords(request), 'ask again')];
  if (code !== 'eval_gate_unmet') return [];
  const reason = String(details.reason);
  if (reason === 'not_finished') return [next(promoteWords(request), 'ask again when it has ended')];
  // No evidence helps a revoked version, and it cannot be run.
  if (reason === 'agent_revoked')
    return [next([shell`deployments ${request.agentId}`], 'the other versions')];
  const again = next(
    evidenceWords(upTo(request, toState), details.suite),
    `make the evidence, and promote ${toState === request.to ? 'on it' : `to ${toState} on it`}`,
  );
  if (reason === 'not_compared' && typeof details.serving === 'string')
    return [
      next(
        runWords(`${request.agentId}@${details.serving}`, details.suite),
        'what serves, on the same suite',
      ),
      next(promoteWords(request), 'then ask again'),
    ];
  if (!SHOWN.has(reason) || evalRunId === undefined) return [again];
  return typeof details.against === 'string'
    ? [next([shell`compare ${details.against} ${evalRunId}`], 'what got worse'), again]
    : [next([shell`show ${evalRunId}`], 'what the run has shown'), again];
}

/** Gates on the way may ask for runs of different suites: each is passed with its own. */
function upTo(request: PromotionRequest, toState: DeploymentState): PromotionRequest {
  if (toState === request.to || (toState !== 'test' && toState !== 'staged')) return request;
  const { channel: _channel, canaryPercent: _share, ...rest } = request;
  return { ...rest, to: toState };
}

const ref = ({ agentId, version }: PromotionRequest): string => `${agentId}@${version}`;

const runWords = (agent: string, suite: unknown): readonly string[] => [
  typeof suite === 'string' && suite !== '' ? shell`run ${suite}` : 'run <suite>',
  ...flag('--agent', agent),
];

const evidenceWords = (request: PromotionRequest, suite: unknown): readonly string[] => [
  ...runWords(ref(request), suite),
  '--promote',
  ...targetFlags(request),
];

const promoteWords = (request: PromotionRequest): readonly string[] => [
  shell`promote ${ref(request)}`,
  ...targetFlags(request),
  ...flag('--eval-run', request.evalRun),
];

/** The host names members of a request; the person who typed the command knows flags. */
export function inFlags(error: unknown, { channel }: Pick<PromotionRequest, 'channel'>): never {
  const isInvalid = error instanceof HostResponseError && error.code === 'validation_error';
  const issues = isInvalid ? (error.details?.issues as readonly Issue[] | undefined) : undefined;
  if (!issues) throw error;
  throw validationError(
    issues.map(({ pointer, message }) => ({
      // An option that was not typed is not what is wrong.
      pointer: pointer === '/channel' && channel === undefined ? '/transition' : pointer,
      message: message.replaceAll('adjust-canary', '--share').replaceAll('toState', '--to'),
    })),
  );
}
