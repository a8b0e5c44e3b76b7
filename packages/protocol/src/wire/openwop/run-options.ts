import {
  anyObject,
  closed,
  integer,
  list,
  name,
  number,
  object,
  open,
  plain,
  published,
  ref,
  text,
  type Wire,
} from '../schema/build.js';

/** A scripted model for conformance tests. This host refuses it with `mock_provider_forbidden`. */
const mockProvider = closed(
  {
    /** The name of the script on the host. */
    id: text('Which mock provider.', { minLength: 1, maxLength: 128 }),
  },
  {
    /** Settings of the script; the host defines them. */
    config: anyObject('Its settings.'),
  },
  { description: 'Answers model calls from a script; for test keys only.' },
);

/** The protocol's settings of one run, shared by all kinds of run. */
export const configurable = open(
  {},
  {
    /** The most nodes the run may execute, repeats of tasks included. At least 1. A run that would execute more is refused. */
    recursionLimit: integer('The most nodes the run may execute.', { minimum: 1 }),
    /** `<provider>/<model>` or a configured name, in place of the model that the agent's class leads to. */
    model: name('Use this model.'),
    /** Use this temperature. From 0 to 2; the provider's default when absent. */
    temperature: number('Use this temperature.', { minimum: 0, maximum: 2 }),
    /** The most tokens of one answer. At least 1; the provider's default when absent. */
    maxTokens: integer('The most tokens of one answer.', { minimum: 1 }),
    /** Other texts for prompts, by prompt id. This host refuses it. */
    promptOverrides: plain<{ [promptId: string]: string }>({
      description: 'Other texts for prompts, by prompt id.',
      type: 'object',
      additionalProperties: text(),
    }),
    /** Present only in requests of conformance tests. */
    mockProvider: ref<typeof mockProvider>('#/$defs/MockProvider'),
  },
  { description: 'Settings of one run. Unknown keys are kept and passed on.' },
);

/** A word to find a run by: 1 to 256 characters. */
export const tag = () => text(undefined, { minLength: 1, maxLength: 256 });

/** The protocol's schema of what a caller may set for one run. */
export const runOptions = object(
  {},
  {
    /** Settings that change how the run is done. */
    configurable: ref<typeof configurable>('#/$defs/Configurable'),
    /** Words to find the run by. At most 100; they change nothing about the run. */
    tags: list(tag(), 'Words to find the run by.', { maxItems: 100, uniqueItems: false }),
    /** Kept and given back; never read. Any JSON object; it changes nothing about the run. */
    metadata: anyObject('Kept and given back; never read.'),
  },
  {
    ...published('run-options', 'RunOptions', 'What a caller may set for one run.'),
    $defs: { Configurable: configurable, MockProvider: mockProvider },
  },
);
/** Options of a run, as far as every kind of run has them. */
export type RunOptionsWire = Wire<typeof runOptions>;
