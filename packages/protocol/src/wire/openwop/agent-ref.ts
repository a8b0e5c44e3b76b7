import { closed, published, text, type Wire } from '../schema/build.js';
import { agentModelClass, boundedAgentId } from './parts.js';

/** The protocol's schema of a reference to an agent. */
export const agentRef = closed(
  {
    /** The agent's id, without a version; 3 to 256 characters. */
    agentId: boundedAgentId('Which agent.'),
  },
  {
    /** The name that people see; absent when the host knows none. */
    name: text('A name for people.', { maxLength: 256 }),
    /** The protocol's classes for references, which differ from `MODEL_CLASSES` of manifests and suites. */
    modelClass: agentModelClass('What kind of model drives it. Not the list that manifests use.'),
    /** An opaque name of the agent's long-term memory; absent when it has none. */
    memoryRef: text('Where its long-term memory is; opaque.', { minLength: 1, maxLength: 256 }),
    /** Pins one exact version. Excludes `channel`. */
    version: text('One exact version.', { maxLength: 64 }),
    /** A deployment channel, which stands for the version that serves there. Excludes `version`. */
    channel: text('A deployment channel that stands for a version.', { minLength: 1, maxLength: 64 }),
    /** The manifest that the agent was read from; absent when it came from the configuration. */
    sourceManifestId: text('The manifest it came from.', { maxLength: 256 }),
  },
  {
    ...published('agent-ref', 'AgentRef', 'An agent, named by a version or by a channel, never by both.'),
    not: { required: ['version', 'channel'] },
  },
);
/** The agent that a run snapshot names. */
export type AgentRefWire = Wire<typeof agentRef>;
