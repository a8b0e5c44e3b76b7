import fc from 'fast-check';
import type { DefinitionForm } from '../profile.js';

export const words = fc.string({ unit: 'grapheme', maxLength: 12 });
const someWords = words.filter((text) => text !== '');
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const hex64 = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });

/** Any of these members, or none. */
const some = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(members, { requiredKeys: [] });

// Numbers that print as `-0` are another spelling of zero and would not compare equal.
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const jsonObject = fc.dictionary(words, json, { maxKeys: 3 });

const criterion = (form: DefinitionForm) =>
  form === 'A'
    ? fc.record(
        { name: words, description: orNull(words), threshold: orNull(finite), strict: fc.boolean() },
        { requiredKeys: ['name'] },
      )
    : fc.record(
        { name: words, description: words, threshold: finite, strict: fc.boolean() },
        { requiredKeys: ['name', 'description', 'threshold'] },
      );

/** A profile as it should be written; nothing that is only read leniently. */
export const profileArbitrary = (form: DefinitionForm) => {
  const rubric = fc.array(criterion(form) as fc.Arbitrary<object>, { maxLength: 4 });
  return some<{ [name: string]: unknown }>({
    expected_latency_ms: orNull(fc.maxSafeInteger()),
    golden_dataset_uri: orNull(words),
    grading_rubric: form === 'A' ? orNull(rubric) : rubric,
    evaluator_model: orNull(words),
  });
};

const capability = (name: string) =>
  fc.record(
    {
      name: fc.constant(name),
      type: fc.constantFrom('atomic', 'streaming'),
      description: words,
      inputs: jsonObject,
      outputs: jsonObject,
      delivery_mode: fc.constantFrom('request_response', 'server_sent_events'),
      events: fc.array(fc.record({ name: words, data_schema: jsonObject }), { maxLength: 2 }),
      injected_params: fc.array(words, { maxLength: 2 }),
    },
    { requiredKeys: ['name', 'type', 'description', 'inputs', 'outputs'] },
  );

const persona = fc.record({ name: words, description: words, directives: fc.array(words, { maxLength: 2 }) });
const config = fc.record(
  {
    nodes: fc.constantFrom([], [{ id: 'a', type: 'agent', extra: null }]),
    entry_point: orNull(words),
    model_config: fc.record(
      {
        model: words,
        temperature: fc.double({ min: 0, max: 2, noNaN: true }),
        system_prompt: orNull(words),
        persona: orNull(persona),
      },
      { requiredKeys: ['model', 'temperature'] },
    ),
    system_prompt: orNull(words),
    memory: json,
  },
  { requiredKeys: ['model_config'] },
);
const remoteTool = fc.record({
  uri: words,
  hash: hex64,
  scopes: fc.array(words, { maxLength: 2 }),
  risk_level: fc.constantFrom('safe', 'standard', 'critical'),
});
const inlineTool = fc.record({ name: words, description: words, parameters: jsonObject });

export const definitionArbitrary: fc.Arbitrary<object> = fc.record(
  {
    metadata: fc.record({
      id: fc.uuid(),
      version: fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99)).map((numbers) => numbers.join('.')),
      name: someWords,
      author: someWords,
      created_at: fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
        .map((date) => date.toISOString()),
    }),
    capabilities: fc.tuple(capability('one'), capability('two')).map((both) => both as readonly object[]),
    config,
    dependencies: some({
      tools: fc.array(fc.oneof(remoteTool, inlineTool), { maxLength: 3 }),
      libraries: fc.array(words, { maxLength: 2 }),
    }),
    policy: orNull(
      some({
        budget_caps: fc.dictionary(words, finite, { maxKeys: 2 }),
        allowed_domains: fc.array(words, { maxLength: 2 }),
      }),
    ),
    deployment: orNull(jsonObject),
    evaluation: orNull(profileArbitrary('A')),
    custom_metadata: orNull(jsonObject),
    integrity_hash: orNull(hex64),
  },
  { requiredKeys: ['metadata', 'capabilities', 'config', 'dependencies'] },
);

const agent = (id: string) =>
  fc.record(
    {
      type: fc.constant('agent'),
      id: fc.constant(id),
      name: words,
      role: words,
      goal: words,
      backstory: orNull(words),
      model: orNull(words),
      tools: fc.array(fc.oneof(words, fc.record({ type: fc.constant('remote'), uri: words })), {
        maxLength: 3,
      }),
      skills: fc.array(words, { maxLength: 2 }),
      interface: some({ inputs: jsonObject, outputs: jsonObject }),
      capabilities: some({ type: fc.constantFrom('graph', 'atomic'), history_support: fc.boolean() }),
      runtime: orNull(jsonObject),
      evaluation: orNull(profileArbitrary('B')),
    },
    { requiredKeys: ['type', 'id', 'name', 'role', 'goal'] },
  );

export const manifestArbitrary: fc.Arbitrary<object> = fc.record(
  {
    apiVersion: fc.constant('coreason.ai/v2'),
    kind: fc.constantFrom('Recipe', 'Agent'),
    metadata: fc.record({ name: words, version: words, 'x-design': json }, { requiredKeys: ['name'] }),
    interface: some({ inputs: jsonObject, outputs: jsonObject }),
    state: jsonObject,
    policy: some({
      max_steps: orNull(fc.nat()),
      max_retries: fc.nat(),
      timeout: orNull(finite),
      human_in_the_loop: fc.boolean(),
    }),
    definitions: some({
      one: agent('one'),
      two: agent('two'),
      kb: fc.record({ type: fc.constant('tool'), body: json }),
    }),
    workflow: fc.record({ start: words, steps: fc.dictionary(words, jsonObject, { maxKeys: 2 }) }),
  },
  { requiredKeys: ['apiVersion', 'kind', 'metadata', 'workflow'] },
);
