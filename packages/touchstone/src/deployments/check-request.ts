import type {
  AgentDeployments,
  DeploymentState,
  Issue,
  Transition,
  TransitionRequest,
} from '@touchstone/protocol';
import { ASSIGNED_CHANNELS, lineOf } from './picture.js';
import { outcomeOf } from './states.js';

/** Where a request leads from a state, or what is wrong with asking it of a version in that state. */
export function checkRequest(
  current: AgentDeployments,
  request: TransitionRequest,
  state: DeploymentState,
): { readonly to: DeploymentState } | { readonly issue: Issue } {
  const to = outcomeOf(request.transition, state, isNewPlace(current, request));
  if (to === undefined) return { issue: { pointer: '/transition', message: impossible(request, state) } };
  const issue = stateIssue(request, state, to) ?? channelIssue(request, to) ?? shareIssue(request, to);
  return issue ? { issue } : { to };
}

const isNewPlace = (current: AgentDeployments, { channel, version }: TransitionRequest): boolean =>
  channel !== undefined && lineOf(current, channel).at(-1) !== version;

const DONE: { readonly [T in Transition]: string } = {
  promote: 'promoted',
  pause: 'paused',
  deprecate: 'deprecated',
  rollback: 'rolled back',
  'adjust-canary': 'given another share',
};

function impossible({ transition, version }: TransitionRequest, state: DeploymentState): string {
  const needed = transition === 'promote' ? 'a draft, test, staged or paused' : 'an active';
  return `Only ${needed} version can be ${DONE[transition]}, and ${version} is ${state}. ${advice(transition, state)}`;
}

function advice(transition: Transition, state: DeploymentState): string {
  if (state === 'deprecated' || state === 'rolled-back') return 'That is final: choose another version.';
  if (transition === 'promote')
    return 'Name a channel it is not the newest on, change its share with adjust-canary, or choose another version.';
  return 'Promote it to active first.';
}

function stateIssue(
  { transition, toState, version }: TransitionRequest,
  state: DeploymentState,
  to: DeploymentState,
): Issue | undefined {
  if (toState === undefined || toState === to) return undefined;
  const why = transition === 'promote' ? 'Promote one state at a time.' : 'Leave toState out.';
  const message = `Expected ${to}, where ${transition} leads from ${state}, the state of ${version}; got ${toState}. ${why}`;
  return { pointer: '/toState', message };
}

const isPromotedToActive = ({ transition }: TransitionRequest, to: DeploymentState): boolean =>
  transition === 'promote' && to === 'active';

function channelIssue(request: TransitionRequest, to: DeploymentState): Issue | undefined {
  const { transition, channel } = request;
  const pointer = '/channel';
  if (channel === undefined) return undefined;
  if (!isPromotedToActive(request, to) && transition !== 'rollback') {
    const message = `A channel is for promote to active and for rollback, and this is ${transition} to ${to}. Leave it out.`;
    return { pointer, message };
  }
  if (ASSIGNED_CHANNELS.some((name) => name === channel)) return undefined;
  const why = channel === 'latest' ? 'latest is always the highest active version. ' : '';
  return {
    pointer,
    message: `Expected one of ${ASSIGNED_CHANNELS.join(', ')}. ${why}Name one of them, or none.`,
  };
}

function shareIssue(request: TransitionRequest, to: DeploymentState): Issue | undefined {
  const { transition, canaryPercent } = request;
  const pointer = '/canaryPercent';
  if (transition === 'adjust-canary') {
    const message =
      'Expected the share that the version shall get, from 0 to 100, and there is none. Add it.';
    return canaryPercent === undefined ? { pointer, message } : undefined;
  }
  if (canaryPercent === undefined || isPromotedToActive(request, to)) return undefined;
  const message = `A share is for promote to active and for adjust-canary, and this is ${transition} to ${to}. Leave it out.`;
  return { pointer, message };
}
