import { type AgentId, asId, type ToolId, type Version } from '@touchstone/protocol';
import { check } from '@touchstone/protocol/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../../../app/testing/scorecards.js';
import { createTestHost, echoAgent, KEYS, type TestHost } from '../../../app/testing/test-host.js';

const agents = [
  {
    ...echoAgent,
    agentId: asId<AgentId>('local.acme.zebra'),
    version: asId<Version>('1.9.0'),
    persona: 'Old',
  },
  {
    ...echoAgent,
    agentId: asId<AgentId>('local.acme.zebra'),
    version: asId<Version>('1.10.0'),
    persona: 'New',
  },
  {
    ...echoAgent,
    agentId: asId<AgentId>('local.acme.ant'),
    label: 'Ant',
    description: 'Carries things.',
    modelClass: 'coding' as const,
    toolAllowlist: [asId<ToolId>('local:kb.search')],
    returnSchema: { type: 'object' },
    confidenceThreshold: 0.5,
  },
];

let host: TestHost;
beforeAll(async () => {
  host = await createTestHost({ agents });
});
afterAll(() => host.close());

it.each([
  ['PUT', '/v1/host/touchstone/agents/local.acme.fly'],
  ['POST', '/v1/host/touchstone/suites'],
])('%s %s says that the body is wrong when it is no object', async (method, path) => {
  for (const body of [[], '"text"', 'null'])
    expect(
      expectRefusal(await host.request(method, path, { body }), 400, 'validation_error').details,
    ).toMatchObject({ field: 'body', issues: [{ pointer: '' }] });
});

describe('agents', () => {
  it('are listed once each, by id, at their highest version, in the closed shape of the inventory', async () => {
    const answer = await host.request('GET', '/v1/agents');
    expect(check('agent-inventory-response', answer.json())).toEqual([]);
    expect(answer.json()).toEqual({
      agents: [
        {
          agentId: 'local.acme.ant',
          persona: 'Echo',
          label: 'Ant',
          description: 'Carries things.',
          modelClass: 'coding',
          packName: 'local',
          packVersion: '1.0.0',
          toolAllowlist: ['local:kb.search'],
          hasHandoffSchemas: true,
          confidenceThreshold: 0.5,
        },
        {
          agentId: 'local.acme.zebra',
          persona: 'New',
          label: 'New',
          modelClass: 'general',
          packName: 'local',
          packVersion: '1.10.0',
          toolAllowlist: [],
          hasHandoffSchemas: false,
        },
      ],
      total: 2,
    });
  });

  it('can be read one at a time; whatever is no name of one is not found', async () => {
    expect((await host.request('GET', '/v1/agents/local.acme.ant')).json()).toMatchObject({ label: 'Ant' });
    for (const id of ['local.acme.bee', 'roster', 'org-chart', '%20', '~']) {
      expectRefusal(await host.request('GET', `/v1/agents/${id}`), 404, 'not_found');
    }
  });

  it("of a tenant's own are bound under the id in the path", async () => {
    const answer = await host.request('PUT', '/v1/host/touchstone/agents/local.acme.mine', {
      body: { agentId: 'local.acme.mine' },
    });
    expect([answer.status, answer.json()]).toEqual([
      201,
      { agentId: 'local.acme.mine', version: '1.0.0', digest: echoAgent.digest },
    ]);
  });
});

describe('suites', () => {
  const suite = {
    suiteId: 'core.acme.evals.echo',
    version: '1.0.0',
    modes: ['golden'],
    targetAgentId: 'local.acme.ant',
    thresholds: { passScore: 0.5 },
    tasks: [
      {
        taskId: 'one',
        input: { text: 'ü', list: [1, null] },
        expected: { kind: 'golden', match: { strategy: 'json-match', value: { a: [] } } },
        fixtures: {
          toolResponses: [{ tool: 'local:kb.search', response: { hits: 0 } }, { tool: 'local:x' }],
        },
      },
      {
        taskId: 'two',
        input: null,
        expected: { kind: 'golden', match: { strategy: 'exact', value: '' } },
        fixtures: {},
      },
    ],
  };
  const install = (body: object) => host.request('POST', '/v1/host/touchstone/suites', { body });

  it('are installed once, and a version never changes', async () => {
    const first = await install(suite);
    expect(first.status).toBe(201);
    expect(first.json()).toEqual({
      suiteRef: 'core.acme.evals.echo@1.0.0',
      suiteId: 'core.acme.evals.echo',
      version: '1.0.0',
      digest: expect.stringMatching(/^sha256:/),
    });
    const again = await install(suite);
    expect([again.status, again.json()]).toEqual([200, first.json()]);
    expectRefusal(await install({ ...suite, thresholds: { passScore: 0.6 } }), 409, 'conflict');
  });

  it('are refused with everything that is wrong with them', async () => {
    const { details } = expectRefusal(
      await install({ ...suite, version: 'one', tasks: [{ taskId: 'x' }] }),
      400,
      'validation_error',
    );
    const pointers = (details.issues as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(pointers.some((pointer) => pointer.startsWith('/version'))).toBe(true);
    expect(pointers.some((pointer) => pointer.startsWith('/tasks/0'))).toBe(true);
  });

  it('read back, can be installed as they are', async () => {
    const { digest } = (await install({ ...suite, version: '2.0.0' })).json<{ digest: string }>();
    for (const reference of ['core.acme.evals.echo@2.0.0', 'core.acme.evals.echo']) {
      const read = await host.request('GET', `/v1/host/touchstone/suites/${reference}`, { key: KEYS.reader });
      expect(read.json()).toEqual({ ...suite, version: '2.0.0' });
      expect((await install(read.json())).json()).toMatchObject({ digest });
    }
  });

  it.each([['core.acme.evals.none'], ['core.acme.evals.echo@9.9.9'], ['nonsense'], ['a@b@c']])(
    '%s is not found',
    async (reference) => {
      expectRefusal(await host.request('GET', `/v1/host/touchstone/suites/${reference}`), 404, 'not_found');
    },
  );

  it('are listed without their tasks', async () => {
    const { items } = (await host.request('GET', '/v1/host/touchstone/suites')).json<{ items: object[] }>();
    expect(items[0]).toMatchObject({ suiteId: 'core.acme.evals.echo', taskCount: 2 });
    expect(JSON.stringify(items)).not.toContain('kb.search');
  });
});

describe('workflows', () => {
  // The required members of a published workflow definition, and that it is closed.
  const text = { type: 'string', minLength: 1 };
  const list = { type: 'array' };
  const definition = {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'name', 'version', 'nodes', 'edges', 'triggers', 'variables', 'metadata', 'settings'],
    properties: {
      id: { type: 'string', pattern: '^[a-z][a-z0-9_-]*$' },
      name: text,
      version: text,
      nodes: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['id', 'typeId', 'name', 'position', 'config', 'inputs'],
          properties: {
            id: text,
            typeId: { type: 'string', pattern: '^[a-z][a-zA-Z0-9._-]*$' },
            name: text,
            position: { type: 'object', required: ['x', 'y'] },
            config: { type: 'object' },
            inputs: {
              type: 'object',
              additionalProperties: {
                type: 'object',
                additionalProperties: false,
                required: ['type', 'variableName'],
                properties: {
                  type: { const: 'variable' },
                  variableName: text,
                  optional: { type: 'boolean' },
                },
              },
            },
          },
        },
      },
      edges: list,
      triggers: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'type'],
          properties: { id: text, type: { const: 'manual' } },
          additionalProperties: false,
        },
      },
      variables: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name', 'type'],
          properties: {
            name: text,
            type: { enum: ['string', 'number'] },
            required: { type: 'boolean' },
            defaultValue: {},
            description: { type: 'string' },
          },
        },
      },
      metadata: { type: 'object' },
      settings: { type: 'object' },
    },
  };
  const validate = new Ajv2020({ strict: false }).compile(definition);

  it('are those that discovery names, each in the published shape', async () => {
    const { fixtures } = (await host.request('GET', '/.well-known/openwop')).json<{ fixtures: string[] }>();
    expect(fixtures).toEqual([
      'conformance-noop',
      'conformance-failure',
      'conformance-idempotent',
      'conformance-delay',
      'conformance-cancellable',
      'conformance-approval',
      'conformance-clarification',
      'conformance-interrupt-quorum',
      'conformance-interrupt-auth-required',
      'conformance-interrupt-external-event',
      'conformance-interrupt-parent-child-cancel',
      'conformance-interrupt-parent-child-cancel-child',
      'conformance-agent-reasoning',
      'conformance-dispatch-loop',
      'conformance-replay-side-effect',
    ]);
    for (const id of fixtures) {
      const workflow = (await host.request('GET', `/v1/workflows/${id}`)).json();
      expect(workflow.id).toBe(id);
      expect(validate(workflow), JSON.stringify(validate.errors)).toBe(true);
    }
  });

  it('others are not found', async () => {
    expectRefusal(await host.request('GET', '/v1/workflows/other'), 404, 'not_found');
  });
});
