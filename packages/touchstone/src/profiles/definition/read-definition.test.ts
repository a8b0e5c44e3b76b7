import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '@touchstone/protocol';
import { describe, expect, test } from 'vitest';
import { agentDefinition, dumpDefinition } from './builders.js';
import { looksLikeDefinition } from './definition-text.js';
import { parseDefinition, readDefinition, readProfile } from './read-definition.js';
import {
  INVOICES,
  issuesOf,
  manifestAgent,
  manifestOf,
  minimalDefinition,
  POLICIES,
} from './testing/definitions.js';

describe('a form A definition', () => {
  const loaded = readDefinition(INVOICES, { file: 'invoice-triage.json' });

  test('loads with everything that evaluating it needs', () => {
    expect(loaded).toMatchObject({ form: 'A', warnings: [] });
    expect(loaded.agents).toMatchObject([
      {
        form: 'A',
        id: '7d0c1f3e-5b7a-4c1e-9a52-2f1f0c7a9b10',
        name: 'Invoice Triage',
        author: 'Northwind Finance',
        version: '1.2.0',
        status: 'published',
        model: 'router-small-1',
        temperature: 0,
        systemPrompt: 'Reply with one JSON object naming the queue and the amount in minor units.',
        capabilities: [{ name: 'triage', inputs: { required: ['text'] }, outputs: { type: 'object' } }],
        tools: ['https://tools.example/ledger', 'parse_amount'],
        budgetCaps: { total_cost: 2.5 },
        evaluation: {
          expected_latency_ms: 1500,
          grading_rubric: [{ strict: true }, {}, { threshold: null }],
        },
      },
    ]);
  });

  test('is pinned by the whole of what it says, however it is spaced', () => {
    const canonical = canonicalJson(dumpDefinition(loaded.value) as Json);
    expect(loaded.agents[0]?.sha256).toBe(createHash('sha256').update(canonical).digest('hex'));
    const respaced = readDefinition(JSON.stringify(JSON.parse(INVOICES), null, 7));
    expect(respaced.agents).toEqual(loaded.agents);
    // Its own integrity_hash leaves the evaluation out and would not notice this.
    const eased = readDefinition(INVOICES.replace('"threshold": 0.9,', '"threshold": 0.1,'));
    expect(eased.agents[0]?.sha256).not.toBe(loaded.agents[0]?.sha256);
  });

  test('cannot be changed anywhere', () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(loaded.value)).toBe(true);
    const given = minimalDefinition({ custom_metadata: { team: { name: 'ops' } } });
    expect(frozen(agentDefinition(given))).toBe(true);
    expect(frozen(given)).toBe(false);
  });

  test('may call its model_config llm_config, but not both', () => {
    const model = { model: 'small-1', temperature: 0 };
    const renamed = agentDefinition(minimalDefinition({ config: { llm_config: model } }));
    expect(renamed.config.model_config).toMatchObject(model);
    expect(dumpDefinition(renamed)).toMatchObject({ config: { model_config: model } });
    const hot = minimalDefinition({ config: { llm_config: { ...model, temperature: 3 } } });
    expect(issuesOf(() => parseDefinition(hot))[0]?.pointer).toBe('/config/llm_config/temperature');
    const both = minimalDefinition({ config: { llm_config: model, model_config: model } });
    expect(issuesOf(() => parseDefinition(both)).map(({ pointer }) => pointer)).toEqual([
      '/config/llm_config',
    ]);
  });

  test('keeps what nobody here looks into, nulls included', () => {
    const opaque = {
      deployment: { port: 80, env_vars: null },
      custom_metadata: { a: [null, { b: null }] },
      config: {
        ...minimalDefinition().config,
        nodes: [{ id: 'a', type: 'map', body: null }],
        memory: { kind: 'window', size: null },
      },
    };
    expect(dumpDefinition(parseDefinition(minimalDefinition(opaque)).value)).toMatchObject(opaque);
  });

  test('tells a persona after the prompt', () => {
    const promptOf = (config: object) =>
      parseDefinition(minimalDefinition({ config })).agents[0]?.systemPrompt;
    const model = { model: 'small-1', temperature: 1 };
    const persona = { name: 'Ada', description: 'A patient clerk', directives: ['Be brief.', 'Cite.'] };
    expect(promptOf({ model_config: model })).toBeUndefined();
    expect(promptOf({ model_config: { ...model, system_prompt: 'Inner.' } })).toBe('Inner.');
    expect(
      promptOf({ system_prompt: 'Outer.', model_config: { ...model, system_prompt: 'Inner.', persona } }),
    ).toBe('Outer.\n\nYou are Ada. A patient clerk.\n\nFollow these directives:\n- Be brief.\n- Cite.');
  });

  const published = (config: object, members: object = {}) =>
    minimalDefinition({
      status: 'published',
      integrity_hash: 'A'.repeat(64),
      config: { ...minimalDefinition().config, ...config },
      ...members,
    });

  test.each<[string, object, readonly string[]]>([
    ['no capability', minimalDefinition({ capabilities: [] }), ['/capabilities']],
    [
      'two capabilities of one name',
      minimalDefinition({ capabilities: [1, 2].flatMap(() => minimalDefinition().capabilities) }),
      ['/capabilities/1/name'],
    ],
    [
      'a capability without schemas and interface',
      minimalDefinition({ capabilities: [{ name: 'a', type: 'atomic', description: '' }] }),
      ['/capabilities/0/inputs', '/capabilities/0/outputs'],
    ],
    [
      'a user nobody hands to the capability',
      minimalDefinition({ metadata: { ...minimalDefinition().metadata, requires_auth: true } }),
      ['/capabilities/0/injected_params'],
    ],
    ['a hash of another form', minimalDefinition({ integrity_hash: 'abc' }), ['/integrity_hash']],
    [
      'publication without hash',
      published({ system_prompt: 'a' }, { integrity_hash: null }),
      ['/integrity_hash'],
    ],
    ['publication without prompt', published({}), ['/config/system_prompt']],
    [
      'publication with nodes and nowhere to begin',
      published({
        nodes: [{ id: 'a', type: 'agent' }],
        edges: [{ source_node_id: 'a', target_node_id: 'b' }],
      }),
      ['/config/edges/0/target_node_id', '/config/entry_point'],
    ],
    [
      'two nodes of one id',
      published({ entry_point: 'a', nodes: ['agent', 'human'].map((type) => ({ id: 'a', type })) }),
      ['/config/nodes/1/id'],
    ],
    [
      'tools that are neither remote nor inline',
      minimalDefinition({ dependencies: { tools: [{ uri: 'a:b', hash: 'x' }, { type: 'function' }] } }),
      ['hash', 'scopes', 'risk_level']
        .map((name) => `/dependencies/tools/0/${name}`)
        .concat(['name', 'description', 'parameters'].map((name) => `/dependencies/tools/1/${name}`)),
    ],
    [
      'a member too many at every level',
      minimalDefinition({
        observability: { trace_level: 'full', x: 1 },
        policy: { x: 1 },
        evaluation: { x: 1 },
        dependencies: { x: 1 },
        x: 1,
      }),
      ['/dependencies/x', '/policy/x', '/evaluation/x', '/observability/x', '/x'],
    ],
  ])('with %s is refused', (_, value, pointers) => {
    expect(issuesOf(() => parseDefinition(value)).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test('with an interface of its own needs no schemas', () => {
    const capability = {
      name: 'a',
      type: 'streaming',
      description: '',
      interface_id: '0b7d0f6c-2f0e-4b83-9d55-1d2c3b4a5f60',
    };
    const { agents } = parseDefinition(minimalDefinition({ capabilities: [capability] }));
    expect(agents[0]?.capabilities).toEqual([{ name: 'a' }]);
  });
});

describe('a form B manifest', () => {
  test('loads with everything that evaluating its agents needs', () => {
    const loaded = readDefinition(POLICIES, { file: 'policies.yaml' });
    expect(loaded).toMatchObject({ form: 'B', warnings: [] });
    expect(loaded.agents).toMatchObject([
      {
        form: 'B',
        id: 'policy-summariser',
        name: 'Policy Summariser',
        version: '0.3.0',
        model: 'writer-medium-3',
        systemPrompt: [
          'Your role: Benefits analyst.',
          'Your goal: Summarise one leave policy for employees.',
          'Your background: Cites the clause behind every number.',
        ].join('\n'),
        tools: ['mcp://hr.example/policies'],
        capabilities: [{ name: 'policy-summariser', inputs: { required: ['clause'] } }],
        evaluation: { expected_latency_ms: 4000, evaluator_model: 'judge-large-2' },
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(loaded.agents[0]?.evaluation?.grading_rubric?.map(({ strict }) => strict)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('names its tools in any of the three notations', () => {
    const tools = [
      'kb',
      { type: 'remote', uri: 'mcp://kb', hash: 'x' },
      { type: 'inline', name: 'add', description: '', parameters: {} },
    ];
    const loaded = parseDefinition(manifestOf({ desk: manifestAgent('desk', { tools }) }));
    expect(loaded.agents[0]?.tools).toEqual(['kb', 'mcp://kb', 'add']);
    expect(dumpDefinition(loaded.value)).toMatchObject({
      definitions: { desk: { tools: [{ type: 'remote', uri: 'kb' }, tools[1], tools[2]] } },
    });
    const wrong = [{ uri: 'mcp://kb' }, { type: 'other' }, 7];
    expect(
      issuesOf(() => parseDefinition(manifestOf({ desk: manifestAgent('desk', { tools: wrong }) }))).map(
        ({ pointer }) => pointer.slice('/definitions/desk/tools'.length),
      ),
    ).toEqual(['/0/type', '/1/type', '/1/uri', '/2']);
  });

  test('has metadata as older versions wrote it, and as later ones do', () => {
    const old = manifestOf({}, { metadata: { name: 'a', 'x-design': { x: null }, team: 'ops' } });
    const later = manifestOf({}, { metadata: { name: 'a', version: 'v2.0.0', design_metadata: { x: 1 } } });
    expect(dumpDefinition(parseDefinition(old).value)).toMatchObject({
      metadata: { name: 'a', version: '0.1.0', 'x-design': { x: null }, team: 'ops' },
    });
    expect(parseDefinition(later).value).toMatchObject(later);
    const agents = { desk: manifestAgent('desk') };
    expect(parseDefinition({ ...later, definitions: agents }).agents[0]?.version).toBe('2.0.0');
  });

  test('keeps definitions of other types as they are', () => {
    const definitions = { kb: { type: 'tool', id: 'other', note: null }, any: { note: 1 } };
    const loaded = parseDefinition(manifestOf(definitions));
    expect(loaded.agents).toEqual([]);
    expect(dumpDefinition(loaded.value)).toMatchObject({ definitions });
  });

  test.each<[string, object, readonly string[]]>([
    [
      'an agent with a slip in its evaluation',
      manifestOf({ desk: manifestAgent('desk', { evaluation: { grading_rubrics: [] } }) }),
      ['/definitions/desk/evaluation/grading_rubrics'],
    ],
    [
      'a criterion without description and threshold',
      manifestOf({ desk: manifestAgent('desk', { evaluation: { grading_rubric: [{ name: 'a' }] } }) }),
      ['description', 'threshold'].map((name) => `/definitions/desk/evaluation/grading_rubric/0/${name}`),
    ],
    ['an agent under another key', manifestOf({ desk: manifestAgent('clerk') }), ['/definitions/desk/id']],
    [
      'a file to follow from nowhere',
      manifestOf({ desk: { $ref: 'desk.yaml' } }),
      ['/definitions/desk/$ref'],
    ],
    ['another version', manifestOf({}, { apiVersion: 'coreason.ai/v3' }), ['/apiVersion']],
    ['another kind', manifestOf({}, { kind: 'Team' }), ['/kind']],
    ['no workflow', manifestOf({}, { workflow: undefined }), ['/workflow']],
    [
      'a version that is a number',
      manifestOf({}, { metadata: { name: 'a', version: 1.0 } }),
      ['/metadata/version'],
    ],
    [
      'a member too many',
      manifestOf({}, { policy: { x: 1 }, interface: { x: 1 }, x: 1 }),
      ['/interface/x', '/policy/x', '/x'],
    ],
  ])('with %s is refused', (_, value, pointers) => {
    const plain = JSON.parse(JSON.stringify(value)) as unknown;
    expect(issuesOf(() => parseDefinition(plain)).map(({ pointer }) => pointer)).toEqual(pointers);
  });
});

describe('a map of properties where a schema was meant', () => {
  test('is read as one, with a warning at its line', () => {
    const text = INVOICES.replace(/"outputs": \{.*?\}\}\},/s, '"outputs": {"y": {"type": "string"}},');
    const { agents, warnings, value } = readDefinition(text);
    expect(agents[0]?.capabilities[0]?.outputs).toEqual({
      type: 'object',
      properties: { y: { type: 'string' } },
    });
    expect(warnings).toMatchObject([
      { code: 'bare_properties', pointer: '/capabilities/0/outputs', line: 6 },
    ]);
    // What was written stays what was written.
    expect(dumpDefinition(value)).toMatchObject({ capabilities: [{ outputs: { y: { type: 'string' } } }] });
  });

  test.each<[string, object]>([
    ['a schema', { type: 'object' }],
    ['a reference', { $ref: '#/x' }],
    ['a member that is no object', { y: 'string' }],
    ['a keyword among the names', { y: {}, required: {} }],
  ])('is not suspected in %s', (_, outputs) => {
    const loaded = parseDefinition(manifestOf({ desk: manifestAgent('desk', { interface: { outputs } }) }));
    expect(loaded.warnings).toEqual([]);
    expect(loaded.agents[0]?.capabilities).toEqual([{ name: 'desk', outputs }]);
  });

  test('is no schema at all when it is empty', () => {
    const loaded = parseDefinition(manifestOf({ desk: manifestAgent('desk') }));
    expect(loaded.agents[0]?.capabilities).toEqual([{ name: 'desk' }]);
  });
});

describe('recognising a definition', () => {
  test.each<[unknown, 'A' | 'B' | undefined]>([
    [JSON.parse(INVOICES), 'A'],
    [{ metadata: {}, evaluation: {} }, 'A'],
    [manifestOf({}), 'B'],
    [{ apiVersion: 'coreason.ai/v9' }, 'B'],
    [{ kind: 'Agent', metadata: {}, workflow: {} }, 'B'],
    [{ suiteId: 'a.b.evals.c', version: '1.0.0', modes: [], tasks: [] }, undefined],
    [{ suiteId: 'a.b.evals.c', metadata: {}, config: {} }, undefined],
    [{ name: 'vendor.acme.support', version: '1.0.0', engines: {}, agents: [] }, undefined],
    [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: {}, spec: {} }, undefined],
    [{}, undefined],
    [[], undefined],
    ['metadata', undefined],
    [null, undefined],
  ])('%# is told by its members', (value, form) => {
    expect(looksLikeDefinition(value)).toBe(form);
  });

  test('nothing else is read as one', () => {
    expect(issuesOf(() => readDefinition('suiteId: a.b.evals.c'))).toMatchObject([
      { pointer: '', message: expect.stringContaining('Expected an agent definition'), line: 1, column: 1 },
    ]);
  });
});

describe('a bare profile', () => {
  test('is read from JSON and YAML, in the lenient form unless asked otherwise', () => {
    const yaml = 'expected_latency_ms: "300"\ngrading_rubric:\n  - name: tone\n    strict: off\n';
    const profile = readProfile(yaml, { file: 'profile.yaml' });
    expect(profile).toMatchObject({ expected_latency_ms: 300, grading_rubric: [{ strict: false }] });
    expect(readProfile(JSON.stringify(profile))).toEqual(profile);
    expect(issuesOf(() => readProfile(yaml, { form: 'B' }))).toMatchObject([
      { pointer: '/grading_rubric/0/description', line: 3, column: 5 },
      { pointer: '/grading_rubric/0/threshold', line: 3, column: 5 },
    ]);
  });
});
