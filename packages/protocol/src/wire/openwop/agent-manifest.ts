import { closed, fraction, list, name, published, ref, set, text, type Wire } from '../schema/build.js';
import { memoryShape, modelClass } from './parts.js';
import type { promptRef } from './prompt-ref.js';

const AGENT_ID = '^(core|vendor|community|private|local)\\.[a-z][a-z0-9_-]*(\\.[a-z][a-zA-Z0-9_-]*)+$';

const override = () => ref<typeof promptRef>('./prompt-ref.schema.json');

const handoff = closed(
  {},
  {
    taskSchemaRef: name('Path to the JSON Schema of what it is given.'),
    returnSchemaRef: name('Path to the JSON Schema of what it answers.'),
  },
  { description: 'What goes in and what comes out. Paths inside the pack.' },
);

export const agentManifest = closed(
  {
    agentId: text('Its name: <tier>.<org>.<pack>.<agent>.', {
      pattern: AGENT_ID,
      minLength: 3,
      maxLength: 256,
    }),
    persona: text('What people call it.', { minLength: 1, maxLength: 200 }),
    modelClass: modelClass('The kind of model it needs.'),
  },
  {
    systemPrompt: name('Its instructions, written here.'),
    systemPromptRef: name('Its instructions, as a path inside the pack.'),
    evalSuiteRef: name('The suite that shows whether it works, as a path inside the pack.'),
    toolAllowlist: list(name(), 'The tools it may call, and no others.'),
    requiresCapabilities: set(name(), 'What a host must offer for it to work fully.'),
    memoryShape: memoryShape('Which kinds of memory it uses.'),
    confidence: closed(
      {},
      { defaultThreshold: fraction('Answers less sure than this are escalated.') },
      { description: 'How sure it has to be.' },
    ),
    handoff,
    label: text('A short name for lists.', { minLength: 1, maxLength: 100 }),
    description: text('What it does.', { maxLength: 500 }),
    promptLibraryRef: text('The library its prompts come from.', { pattern: '^[a-z0-9][a-z0-9._-]{0,127}$' }),
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
