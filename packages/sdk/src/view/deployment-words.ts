import type { EvalReport, Transition, TransitionRequest } from '@touchstone/protocol';
import type { ApprovalAnswer, ApprovalRound, Movement } from './approvals.js';
import { plural, score, whole } from './units.js';
import { intervalWords } from './verdict.js';

const VERBS: { readonly [T in Transition]: string } = {
  promote: 'promote',
  pause: 'pause',
  deprecate: 'deprecate',
  rollback: 'roll back',
  'adjust-canary': 'change the share of',
};

/** `promote local.acme.support@1.0.0 to active on stable, 10 % of the traffic`. */
export function describeRequest(agentId: string, request: TransitionRequest): string {
  const { version, transition, toState, channel, canaryPercent } = request;
  const to = toState === undefined ? '' : ` to ${toState}`;
  const on = channel === undefined ? '' : ` on ${channel}`;
  const share =
    canaryPercent === undefined
      ? ''
      : transition === 'adjust-canary'
        ? ` to ${canaryPercent} %`
        : `, ${canaryPercent} % of the traffic`;
  return `${VERBS[transition]} ${agentId}@${version}${to}${on}${share}`;
}

/** `2 grants of people with the role approver`. */
export function demandOf({ required, role, scope }: ApprovalRound): string {
  const wanted = [role && `the role ${role}`, scope && `the scope ${scope}`].filter(Boolean).join(' and ');
  return `${plural(required, 'grant')} by ${required === 1 ? 'someone' : 'different people'} with ${wanted}`;
}

/** What has come of a question that is taken back. */
export const WITHDRAWN = 'Withdrawn. Nobody is asked any longer, and nothing was moved.';

const SAID = {
  granted: 'granted it',
  overridden: 'overrode the gate',
  rejected: 'rejected it, so it is asked again',
  refused: 'answered and may not',
} as const;

/** `ann granted it.` */
export const saidWords = ({ kind, by, reason }: ApprovalAnswer): string =>
  kind === 'rejected' && reason === 'timeout'
    ? 'Nobody answered in time, which is a no.'
    : `${by} ${SAID[kind]}${reason === undefined ? '.' : `: ${reason}`}`;

/** What a move has done, in a sentence. */
export function movedWords({ type, payload }: Movement): string {
  const { version, toVersion, fromVersion, toState, fromState, channel, canaryPercent } = payload;
  if (type === 'deployment.rolled-back')
    return `${fromVersion} was rolled back, and ${toVersion} takes over.`;
  if (type === 'deployment.canary.adjusted')
    return `The share of ${version} is set to ${payload.toPercent} % instead of ${payload.fromPercent} %.`;
  if (type === 'deployment.state.changed') return `${version} was ${fromState} and is now ${toState}.`;
  const on = channel === undefined ? '' : ` on ${channel}`;
  const share = canaryPercent === undefined ? '' : ` with its share set to ${canaryPercent} %`;
  const after = fromVersion === undefined ? '' : `, where ${fromVersion} was before`;
  return `${toVersion} is now ${toState}${on}${share}${after}.`;
}

/** What a run offered as proof has shown. */
export function evidenceWords(runId: string | undefined, report: EvalReport | undefined): string {
  if (runId === undefined) return 'none';
  if (!report) return `run ${runId}`;
  const { tasks, aggregate, suite, adjusted } = report;
  const corrected = adjusted ? `, with corrections ${score(adjusted.score)}` : '';
  const passed = `${whole(tasks.passed)} of ${whole(tasks.selected)} tasks passed`;
  return `run ${runId} of ${suite.ref}: ${score(aggregate.score)} (${intervalWords(report)})${corrected}, ${passed}`;
}
