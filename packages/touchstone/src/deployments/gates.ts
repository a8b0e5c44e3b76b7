import type { AgentId, DeploymentState, GatePolicy } from '@touchstone/protocol';

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
