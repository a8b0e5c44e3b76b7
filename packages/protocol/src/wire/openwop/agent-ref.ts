import { closed, published, text, type Wire } from '../schema/build.js';
import { agentModelClass, boundedAgentId } from './parts.js';

export const agentRef = closed(
  { agentId: boundedAgentId('Which agent.') },
  {
    name: text('A name for people.', { maxLength: 256 }),
    modelClass: agentModelClass('What kind of model drives it. Not the list that manifests use.'),
    memoryRef: text('Where its long-term memory is; opaque.', { minLength: 1, maxLength: 256 }),
    version: text('One exact version.', { maxLength: 64 }),
    channel: text('A deployment channel that stands for a version.', { minLength: 1, maxLength: 64 }),
    sourceManifestId: text('The manifest it came from.', { maxLength: 256 }),
  },
  {
    ...published('agent-ref', 'AgentRef', 'An agent, named by a version or by a channel, never by both.'),
    not: { required: ['version', 'channel'] },
  },
);
/** The agent that a run snapshot names. */
export type AgentRefWire = Wire<typeof agentRef>;
