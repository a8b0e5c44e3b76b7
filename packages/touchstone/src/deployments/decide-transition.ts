import type { AgentDeployments, DeploymentState, Issue, Move, TransitionRequest } from '@touchstone/protocol';
import { checkRequest } from './check-request.js';
import { rowOf, withRow } from './picture.js';
import {
  comeBack,
  gateOf,
  type MoveFacts,
  promote,
  rollBack,
  type Step,
  spread,
  stateChanged,
  withShare,
} from './steps.js';

export type TransitionDecision =
  | { readonly kind: 'move'; readonly move: Move }
  | { readonly kind: 'illegal'; readonly issue: Issue };

/** What a transition would do to what serves, or why it cannot. Pure: the same picture and request always do the same. */
export function decideTransition(
  current: AgentDeployments,
  request: TransitionRequest,
  facts: MoveFacts,
): TransitionDecision {
  const { version } = request;
  const row = rowOf(current, version) ?? { version, state: 'draft' as const, digest: facts.digest };
  const checked = checkRequest(current, request, row.state);
  if ('issue' in checked) return { kind: 'illegal', issue: checked.issue };
  const taken = takeStep({ current, row, to: checked.to, request, facts });
  if ('pointer' in taken) return { kind: 'illegal', issue: taken };
  const next = { ...taken.next, revision: current.revision + 1 };
  return { kind: 'move', move: { next, events: taken.events } };
}

function takeStep(step: Step): Move | Issue {
  const { transition } = step.request;
  if (transition === 'promote') return promoteFrom[step.row.state]?.(step) ?? promote(step);
  if (transition === 'rollback') return rollBack(step);
  return transition === 'adjust-canary' ? adjustCanary(step) : leaveService(step);
}

const promoteFrom: { readonly [S in DeploymentState]?: (step: Step) => Move | Issue } = {
  paused: comeBack,
  active: spread,
};

/**
 * Pause and deprecate. The version keeps its place on its channels, where it is passed over from now on, and the proof on
 * which it was let in: what is named as one here has let nothing in.
 */
function leaveService(step: Step): Move {
  const { current, row, to } = step;
  return {
    next: withRow(current, { ...row, ...gateOf(step), state: to }),
    events: [stateChanged(current, row, to)],
  };
}

function adjustCanary(step: Step): Move {
  const { current, row, request } = step;
  const { version, canaryPercent: fromPercent = 100 } = row;
  const toPercent = request.canaryPercent ?? 100;
  return {
    next: withRow(current, withShare({ ...row, ...gateOf(step) }, toPercent)),
    events: [
      {
        type: 'deployment.canary.adjusted',
        payload: { agentId: current.agentId, version, fromPercent, toPercent },
      },
    ],
  };
}
