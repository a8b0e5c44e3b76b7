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

const mockProvider = closed(
  { id: text('Which mock provider.', { minLength: 1, maxLength: 128 }) },
  { config: anyObject('Its settings.') },
  { description: 'Answers model calls from a script; for test keys only.' },
);

export const configurable = open(
  {},
  {
    recursionLimit: integer('The most nodes the run may execute.', { minimum: 1 }),
    model: name('Use this model.'),
    temperature: number('Use this temperature.', { minimum: 0, maximum: 2 }),
    maxTokens: integer('The most tokens of one answer.', { minimum: 1 }),
    promptOverrides: plain<{ [promptId: string]: string }>({
      description: 'Other texts for prompts, by prompt id.',
      type: 'object',
      additionalProperties: text(),
    }),
    mockProvider: ref<typeof mockProvider>('#/$defs/MockProvider'),
  },
  { description: 'Settings of one run. Keys nobody knows are kept and passed on.' },
);

export const tag = () => text(undefined, { minLength: 1, maxLength: 256 });

export const runOptions = object(
  {},
  {
    configurable: ref<typeof configurable>('#/$defs/Configurable'),
    tags: list(tag(), 'Words to find the run by.', { maxItems: 100, uniqueItems: false }),
    metadata: anyObject('Kept and given back; never read.'),
  },
  {
    ...published('run-options', 'RunOptions', 'What a caller may set for one run.'),
    $defs: { Configurable: configurable, MockProvider: mockProvider },
  },
);
/** Options of a run, as far as every kind of run has them. */
export type RunOptionsWire = Wire<typeof runOptions>;
