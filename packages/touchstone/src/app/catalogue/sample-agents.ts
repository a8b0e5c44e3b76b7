/** The agent that the test seams evaluate; present only where they are. */
export const SAMPLE_AGENT_ID = 'local.touchstone.sample';

// Agents that exist only where the test seams do. Their files lie in `assets`. A version is what its bytes are, here as
// everywhere: a change of a file needs higher versions below, or a store that has promoted the old ones refuses the new.

/** Moved only by the seam that shows how people are asked, so that no other seam depends on its state. */
export const GATED_AGENT_ID = 'local.touchstone.sample-gated';
/** Does what it is told, also what it should not. */
export const STRICT_AGENT_ID = 'local.touchstone.sample-strict';

const echo = (agentId: string, version: string) => ({
  agentId,
  version,
  persona: 'Echoes what it is asked',
  run: { kind: 'module', path: 'sample-agent.mjs' },
});

/** Several versions, so that one can take over from another. */
export const SAMPLE_AGENTS: readonly object[] = [
  ...['1.0.0', '1.1.0', '1.2.0'].map((version) => echo(SAMPLE_AGENT_ID, version)),
  echo(GATED_AGENT_ID, '1.0.0'),
  {
    agentId: STRICT_AGENT_ID,
    version: '1.0.0',
    persona: 'Does as it is told',
    confidence: { defaultThreshold: 0.5 },
    handoff: {
      taskSchema: { type: 'object', properties: { text: { type: 'string' } } },
      returnSchema: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
    },
    run: { kind: 'module', path: 'sample-strict-agent.mjs' },
  },
];
