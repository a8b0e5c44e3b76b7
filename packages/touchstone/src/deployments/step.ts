import type {
  AgentDeployments,
  DeployedVersion,
  DeploymentEvent,
  DeploymentState,
  Digest,
  GateId,
  TransitionRequest,
  Version,
} from '@touchstone/protocol';

/** What is known about a transition besides the request itself. */
export type MoveFacts = {
  /** Of the agent as it is now. */
  readonly digest: Digest;
  /** The gate that people let it pass, when there is one. */
  readonly approvalGateId?: GateId;
  /** Versions that are there to serve; all that are recorded when absent. */
  readonly installed?: readonly Version[];
};

/** A transition that is possible: of which version, from what picture, to where. */
export type Step = {
  readonly current: AgentDeployments;
  readonly row: DeployedVersion;
  readonly to: DeploymentState;
  readonly request: TransitionRequest;
  readonly facts: MoveFacts;
};

export type Proof = Pick<DeployedVersion, 'evalRunId' | 'approvalGateId'>;

/** What this very transition rests on. */
export const proofOf = (step: Step): Proof => {
  const { evalRunId } = step.request;
  return { ...(evalRunId && { evalRunId }), ...gateOf(step) };
};

export const gateOf = ({ facts: { approvalGateId } }: Step): Pick<Proof, 'approvalGateId'> =>
  approvalGateId ? { approvalGateId } : {};

/** The whole of the traffic is written as no share at all, so that one picture has one spelling. */
export const shareOf = (percent: number | undefined): Pick<DeployedVersion, 'canaryPercent'> =>
  percent === undefined || percent === 100 ? {} : { canaryPercent: percent };

export const withShare = (
  { canaryPercent: _before, ...row }: DeployedVersion,
  percent: number | undefined,
): DeployedVersion => ({ ...row, ...shareOf(percent) });

export const stateChanged = (
  { agentId }: AgentDeployments,
  { version, state }: DeployedVersion,
  toState: DeploymentState,
): DeploymentEvent => ({
  type: 'deployment.state.changed',
  payload: { agentId, version, fromState: state, toState },
});
