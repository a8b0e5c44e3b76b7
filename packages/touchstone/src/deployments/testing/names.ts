import {
  type AgentDeployments,
  type AgentId,
  asId,
  type ChannelName,
  type DeploymentRecord,
  type Digest,
  type TransitionRequest,
  type Version,
} from '@touchstone/protocol';
import { decideTransition, type TransitionDecision } from '../decide-transition.js';
import { noDeployments } from '../picture.js';
import { deploymentRecords } from '../records.js';

export const AGENT = asId<AgentId>('local.test.agent');
const DIGEST = asId<Digest>('sha256:a');
export const v = (text: string): Version => asId<Version>(text);
export const onto = (text: string): ChannelName => asId<ChannelName>(text);

export const ask = (
  current: AgentDeployments,
  request: TransitionRequest,
  facts: Parameters<typeof decideTransition>[2] = { digest: DIGEST },
): TransitionDecision => decideTransition(current, request, facts);

/** What serves after the requests, each of which has to be possible. */
export function after(
  requests: readonly TransitionRequest[],
  from: AgentDeployments = noDeployments(AGENT),
): AgentDeployments {
  return requests.reduce((current, request) => {
    const decision = ask(current, request);
    if (decision.kind === 'illegal') throw new Error(`${decision.issue.pointer}: ${decision.issue.message}`);
    return decision.move.next;
  }, from);
}

/** Three promotions: from draft to active. */
export const activated = (
  version: string,
  channel?: string,
  canaryPercent?: number,
): readonly TransitionRequest[] => {
  const step: TransitionRequest = { version: v(version), transition: 'promote' };
  const last = {
    ...step,
    ...(channel !== undefined && { channel: onto(channel) }),
    ...(canaryPercent !== undefined && { canaryPercent }),
  };
  return [step, step, last];
};

/** What the wire shows of one version. */
export const recordOf = (picture: AgentDeployments, version: string): DeploymentRecord =>
  deploymentRecords(picture, [v(version)]).find((record) => record.version === version) as DeploymentRecord;
