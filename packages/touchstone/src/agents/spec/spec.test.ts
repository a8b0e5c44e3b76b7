import { describe, expect, it } from 'vitest';
import { issuesOf } from '../fixtures/issues-of.js';
import { agentFacts } from './facts.js';
import type { SpecSource } from './run-spec.js';
import { parseAgentSpec } from './spec.js';

const run = { kind: 'http', url: 'https://agent.example/' };
const minimal = { agentId: 'local.acme.support', version: '1.0.0', run };

function pointers(value: unknown, from: SpecSource = 'operator'): readonly string[] {
  try {
    parseAgentSpec(value, from);
    return [];
  } catch (error) {
    return issuesOf(error).map(({ pointer }) => pointer);
  }
}

const full = {
  ...minimal,
  tenant: 'acme',
  persona: 'Support',
  label: 'Support agent',
  description: 'Answers customers.',
  modelClass: 'general',
  toolAllowlist: ['local:kb.search'],
  handoff: { taskSchema: { type: 'object' }, returnSchema: { type: 'string' } },
  confidence: { defaultThreshold: 0.6 },
  run: { ...run, headers: { authorization: 'Bearer t' }, timeoutMs: 1000 },
};

describe('a spec', () => {
  it.each([
    minimal,
    full,
    { ...minimal, run: { kind: 'module', path: './agent.mjs', export: 'agent' } },
    {
      ...minimal,
      run: { kind: 'command', command: 'python3', args: ['agent.py', ''], cwd: 'x', env: { A: '' } },
    },
    { ...minimal, run: { kind: 'scripted', path: 'script.yaml' } },
  ])('comes out as it went in, and again: %j', (value) => {
    const spec = parseAgentSpec(value, 'operator');
    expect(spec).toEqual(value);
    expect(parseAgentSpec(JSON.parse(JSON.stringify(spec)), 'operator')).toEqual(value);
  });

  it('lists everything that is wrong with it', () => {
    const wrong = {
      agentId: 'support',
      version: 'v1',
      persona: '',
      modelClass: 'large',
      toolAllowlist: ['a b', 7],
      handoff: { taskSchema: { type: 'objekt' }, resultSchema: {} },
      confidence: { defaultThreshold: 2 },
      run: {
        kind: 'http',
        url: 'agent.example',
        headers: { Host: 'x', 'bad name': 'x', ok: 'a\nb' },
        retries: 3,
      },
      extra: true,
    };
    expect(pointers(wrong)).toEqual([
      '/agentId',
      '/version',
      '/run/url',
      '/run/headers/Host',
      '/run/headers/bad name',
      '/run/headers/ok',
      '/run/retries',
      '/persona',
      '/modelClass',
      '/toolAllowlist/0',
      '/toolAllowlist/1',
      '/confidence/defaultThreshold',
      '/handoff/taskSchema',
      '/handoff/resultSchema',
      '/extra',
    ]);
  });

  it('is an object with an id, a version and a way to run', () => {
    expect([null, [], 'spec'].map((value) => pointers(value))).toEqual([[''], [''], ['']]);
    expect(pointers({})).toEqual(['/agentId', '/version', '/run']);
    expect(pointers({ ...minimal, run: {} })).toEqual(['/run/kind']);
  });

  it.each([
    ['manifest', 'operator', /module, command, python, http, openai, openwop, scripted/],
    ['perl', 'operator', /module, command, python, http, openai, openwop, scripted/],
    ['module', 'tenant', /http, openai, openwop/],
    ['http', 'pack', /manifest/],
  ] as const)('of kind %s from the %s is refused with the kinds there are', (kind, from, kinds) => {
    expect(() => parseAgentSpec({ ...minimal, run: { kind } }, from)).toThrow(kinds);
  });

  it('of a command says how many processes it has only when they read line after line', () => {
    const command = { kind: 'command', command: './triage.sh', processes: 2 };
    expect(pointers({ ...minimal, run: command })).toEqual(['/run/processes']);
    expect(pointers({ ...minimal, run: { ...command, protocol: 'lines' } })).toEqual([]);
  });

  it.each([
    [{ prompt: '' }, '/run/prompt'],
    [{ prompt: [] }, '/run/prompt'],
    [{ prompt: ['{{ a'] }, '/run/prompt/0'],
    [{ prompt: [{ role: 'user', content: '{{ a | b }}' }] }, '/run/prompt/0/content'],
    [{ parameters: { temperature: 3 } }, '/run/parameters/temperature'],
    [{ parameters: { stop: [] } }, '/run/parameters/stop'],
    [{ parameters: { reasoningEffort: 'much' } }, '/run/parameters/reasoningEffort'],
  ])('of a model has a prompt and parameters that can be used: %j', (wrong, pointer) => {
    const openai = { kind: 'openai', provider: 'local', model: 'small-1', ...wrong };
    expect(pointers({ ...minimal, run: openai })).toEqual([pointer]);
  });

  it.each([
    [{ agent: 'local.acme.desk', user: {} }, '/run/user/model'],
    [{ agent: 'local.acme.desk', maxTurns: 0 }, '/run/maxTurns'],
    [{ agent: 'local.acme.desk', maxTurns: 65 }, '/run/maxTurns'],
    [{ user: { model: 'local/a' } }, '/run/agent'],
  ])('of a conversation names an agent, and who plays the user: %j', (wrong, pointer) => {
    expect(pointers({ ...minimal, run: { kind: 'conversation', ...wrong } })).toEqual([pointer]);
  });

  it('of an endpoint names either its address or a configured provider', () => {
    const openai = (run: object) =>
      pointers({ ...minimal, run: { kind: 'openai', model: 'small-1', ...run } });
    const baseUrl = 'https://models.example/v1';
    expect(openai({ baseUrl, apiKeyEnv: 'KEY', system: 'Be kind.' })).toEqual([]);
    expect(openai({ provider: 'local' })).toEqual([]);
    expect(openai({})).toEqual(['/run/baseUrl']);
    expect(openai({ baseUrl, provider: 'local' })).toEqual(['/run/baseUrl']);
    expect(openai({ provider: 'local', apiKeyEnv: 'KEY' })).toEqual(['/run/apiKeyEnv']);
    expect(openai({ baseUrl, model: 'two\nlines' })).toEqual(['/run/model']);
  });

  it.each([
    'host:x',
    'local.acme',
    'Local.acme.x',
    'local.acme.X',
    'local.acme.x@1',
    `local.acme.${'x'.repeat(256)}`,
  ])('may not be called %s', (agentId) => expect(pointers({ ...minimal, agentId })).toEqual(['/agentId']));

  it.each(['1', '1.0', 'v1.0.0', ' 1.0.0', '1.0.0 ', 'latest', '01.0.0'])(
    'may not have version "%s"',
    (version) => {
      expect(pointers({ ...minimal, version })).toEqual(['/version']);
    },
  );

  it('may not belong to the host itself', () => {
    expect(pointers({ ...minimal, tenant: '~host' })).toEqual(['/tenant']);
  });
});

describe('a spec from a tenant', () => {
  it('may be an HTTP agent', () => {
    const { tenant: _, ...ours } = full;
    expect(parseAgentSpec(ours, 'tenant')).toEqual(ours);
  });

  it.each([
    [
      { kind: 'command', command: 'sh', args: [], cwd: '/', env: {} },
      ['kind', 'command', 'args', 'cwd', 'env'],
    ],
    [{ kind: 'module', path: '/etc/passwd', export: 'x' }, ['kind', 'path', 'export']],
    [{ kind: 'scripted', path: 'x' }, ['kind', 'path']],
    [{ ...run, apiKeyEnv: 'OPENAI_API_KEY' }, ['apiKeyEnv']],
    [{ ...run, env: { A: '1' } }, ['env']],
    [{ kind: 'openai', provider: 'local', model: 'm', promptFile: '/etc/passwd' }, ['promptFile']],
    [{ kind: 'conversation', agent: 'local.acme.desk' }, ['kind']],
  ])('may not name what is on this machine: %j', (theirs, members) => {
    const expected = members.map((member) => `/run/${member}`);
    expect([...pointers({ ...minimal, run: theirs }, 'tenant')].sort()).toEqual(expected.sort());
  });

  it('may be a model with a prompt and parameters', () => {
    const theirs = {
      kind: 'openai',
      provider: 'local',
      model: 'm',
      prompt: '{{ q }}',
      parameters: { seed: 1 },
    };
    expect(pointers({ ...minimal, run: theirs }, 'tenant')).toEqual([]);
  });

  it('may not name a tenant', () =>
    expect(pointers({ ...minimal, tenant: 'other' }, 'tenant')).toEqual(['/tenant']));

  it('with a member that is null is refused at its place, as any other value of the wrong type', () => {
    for (const wrong of [null, 7, 'x', [], true]) {
      expect(pointers({ ...minimal, handoff: { taskSchema: wrong } }, 'tenant')).toEqual([
        '/handoff/taskSchema',
      ]);
      expect(pointers({ ...minimal, handoff: wrong }, 'tenant')).toEqual(['/handoff']);
      expect(pointers({ ...minimal, run: wrong }, 'tenant')).toEqual(['/run']);
    }
  });

  it('may not bring a schema that is too large or too deep', () => {
    let deep: object = { type: 'string' };
    for (let level = 0; level < 70; level += 1) deep = { items: deep };
    const large = { description: 'x'.repeat(300_000) };
    const handoff = { taskSchema: deep, returnSchema: large };
    expect(pointers({ ...minimal, handoff }, 'tenant')).toEqual([
      '/handoff/taskSchema',
      '/handoff/returnSchema',
    ]);
  });
});

it('facts tell what an agent is, and nothing about how it is reached', () => {
  const facts = agentFacts(parseAgentSpec(full, 'operator'), 'sha256:0' as never);
  expect(facts).toEqual({
    agentId: 'local.acme.support',
    version: '1.0.0',
    digest: 'sha256:0',
    kind: 'http',
    persona: 'Support',
    label: 'Support agent',
    description: 'Answers customers.',
    modelClass: 'general',
    toolAllowlist: ['local:kb.search'],
    taskSchema: { type: 'object' },
    returnSchema: { type: 'string' },
    confidenceThreshold: 0.6,
  });
  expect(agentFacts(parseAgentSpec(minimal, 'operator'), 'sha256:0' as never)).toMatchObject({
    persona: 'support',
  });
});
