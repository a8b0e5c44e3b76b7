import { closed, fraction, list, name, published, ref, set, text, type Wire } from '../schema/build.js';
import { memoryShape, modelClass } from './parts.js';
import type { promptRef } from './prompt-ref.js';

/** The protocol's form of an agent id: a tier, then at least two names. */
const AGENT_ID = '^(core|vendor|community|private|local)\\.[a-z][a-z0-9_-]*(\\.[a-z][a-zA-Z0-9_-]*)+$';

/** A prompt template in place of one part of the prompt. */
const override = () => ref<typeof promptRef>('./prompt-ref.schema.json');

/** Schemas of what the agent takes and returns, as paths inside the pack. */
const handoff = closed(
  {},
  {
    /** The input of every invocation must fit it; any input when absent. */
    taskSchemaRef: name('Path to the JSON Schema of what it is given.'),
    /** The host reports `schemaValid` by it; absent when the answer may be anything. */
    returnSchemaRef: name('Path to the JSON Schema of what it answers.'),
  },
  { description: 'What goes in and what comes out. Paths inside the pack.' },
);

/** The protocol's schema of an agent in a pack (RFC 0003, RFC 0070). */
export const agentManifest = closed(
  {
    /** `<tier>.<org>.<pack>.<agent>`, e.g. `vendor.acme.support.resolver`; 3 to 256 characters. */
    agentId: text('Its name: <tier>.<org>.<pack>.<agent>.', {
      pattern: AGENT_ID,
      minLength: 3,
      maxLength: 256,
    }),
    /** The name that people see; up to 200 characters. */
    persona: text('What people call it.', { minLength: 1, maxLength: 200 }),
    /** The class of model to ask. The host's configuration maps each class to a model. */
    modelClass: modelClass('The kind of model it needs.'),
  },
  {
    /** The instructions themselves. Exactly one of this and `systemPromptRef` is present. */
    systemPrompt: name('Its instructions, written here.'),
    /** A file with the instructions, as a path inside the pack. */
    systemPromptRef: name('Its instructions, as a path inside the pack.'),
    /** The suite to evaluate this agent with. The host installs it together with the pack. */
    evalSuiteRef: name('The suite that shows whether it works, as a path inside the pack.'),
    /** Ids of tools, as `<scope>:<tool>`; the agent may call none when absent. */
    toolAllowlist: list(name(), 'The tools it may call, and no others.'),
    /** A missing one does not refuse the agent: the inventory lists it under `degraded`. */
    requiresCapabilities: set(name(), 'What a host must offer for it to work fully.'),
    /** The kinds of memory that the agent uses; none when absent. */
    memoryShape: memoryShape('Which kinds of memory it uses.'),
    /** When an unsure answer counts as escalated. */
    confidence: closed(
      {},
      {
        /**
         * Answers less sure than this are escalated. From 0 to 1; 0.7 when absent. An answer with a lower confidence
         * ends the invocation as `escalated`.
         */
        defaultThreshold: fraction('Answers less sure than this are escalated.'),
      },
      { description: 'How sure it has to be.' },
    ),
    /** Schemas of input and answer; absent when both are free. */
    handoff,
    /** A short name for lists; `persona` when absent. */
    label: text('A short name for lists.', { minLength: 1, maxLength: 100 }),
    /** What the agent does, for people who choose one; at most 500 characters. */
    description: text('What it does.', { maxLength: 500 }),
    /** The prompt library that named templates are looked up in; this host has none. */
    promptLibraryRef: text('The library its prompts come from.', { pattern: '^[a-z0-9][a-z0-9._-]{0,127}$' }),
    /** Templates in place of parts of the prompt, by part; each part is the agent's own when absent. */
    promptOverrides: closed(
      {},
      { system: override(), user: override(), 'few-shot': override(), 'schema-hint': override() },
      { description: 'Other templates for single parts of its prompt.' },
    ),
  },
  {
    ...published(
      'agent-manifest',
      'AgentManifest',
      'An agent as its pack describes it. Its version is that of the pack.',
    ),
    oneOf: [
      { required: ['systemPrompt'], not: { required: ['systemPromptRef'] } },
      { required: ['systemPromptRef'], not: { required: ['systemPrompt'] } },
    ],
  },
);
/** An agent in a pack: its prompt, its class of model, its tools and its schemas. */
export type AgentManifestWire = Wire<typeof agentManifest>;
