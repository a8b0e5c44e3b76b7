import {
  type AgentId,
  AHEAD,
  type DeploymentState,
  type GatePolicy,
  LEADS_TO,
  type TransitionRequest,
} from '@touchstone/protocol';

/*
 * draft → test → staged → active: `promote`, one step at a time.
 * active → paused → active: `pause`, and `promote` to come back.
 * active → deprecated, active → rolled-back: for good.
 * active → active: `adjust-canary`, which changes a share and no state, and `promote` to a channel it is not the newest on.
 */
/** Where a transition leads from a state; undefined when it is not possible there. */
export function outcomeOf(
  transition: TransitionRequest['transition'],
  state: DeploymentState,
  isNewPlace = false,
): DeploymentState | undefined {
  if (transition === 'promote') return state === 'active' && isNewPlace ? 'active' : AHEAD[state];
  return state === 'active' ? LEADS_TO[transition] : undefined;
}

/**
 * What gates are matched on. A rollback has to work at once and a share only grows what was let in, so these two ask no
 * gate. What is not possible counts all the same: it is refused as a transition, not let through as ungated.
 */
export function targetState(request: TransitionRequest, state: DeploymentState): DeploymentState | undefined {
  const { transition, toState } = request;
  if (transition === 'rollback' || transition === 'adjust-canary') return undefined;
  return transition === 'promote' ? (toState ?? AHEAD[state] ?? 'active') : LEADS_TO[transition];
}

type DeployScope = 'deploy:promote' | 'deploy:rollback' | 'deploy:pause';

/**
 * What a principal needs. A principal who may pause may also end a pause; but to come back on another channel or with another
 * share is a promotion, for which the right to pause is not enough.
 */
export function scopeOf(request: TransitionRequest, state: DeploymentState): DeployScope {
  const { transition, channel, canaryPercent } = request;
  if (transition === 'rollback') return 'deploy:rollback';
  if (transition === 'pause' || transition === 'deprecate') return 'deploy:pause';
  const comesBack = state === 'paused' && channel === undefined && canaryPercent === undefined;
  return transition === 'promote' && comesBack ? 'deploy:pause' : 'deploy:promote';
}

/** Every gate on the way to a state. All of them bind: a narrower one does not lift a wider one. */
export const matchingGates = (
  gates: readonly GatePolicy[],
  tenant: string,
  agentId: AgentId,
  to: DeploymentState,
): readonly GatePolicy[] =>
  gates.filter(
    (gate) =>
      gate.to === to &&
      (gate.tenant === undefined || gate.tenant === tenant) &&
      isAbout(gate.agentId, agentId),
  );

/** `*`, an id, or the beginning of ids with a `*` after it. */
const isAbout = (pattern: string, agentId: AgentId): boolean =>
  pattern.endsWith('*') ? agentId.startsWith(pattern.slice(0, -1)) : agentId === pattern;
