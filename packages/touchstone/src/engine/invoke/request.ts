import type { Agent, Run } from '../../ports/index.js';

/** Below this confidence an answer counts as escalated, when neither the run nor the agent says otherwise. */
const DEFAULT_THRESHOLD = 0.7;

export function escalationThreshold(run: Run, agent: Agent): number {
  const asked = run.request.configurable?.escalationThreshold;
  return typeof asked === 'number' ? asked : (agent.facts.confidenceThreshold ?? DEFAULT_THRESHOLD);
}
