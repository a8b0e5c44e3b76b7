import type { Json } from '@touchstone/protocol';
import { describe, expect, test } from 'vitest';
import { parseSuite } from '../../suites/parse-suite.js';
import type { DefinitionAgent } from '../types.js';
import { agent, criterion, profile, rubricAgent } from './fixtures/agents.js';
import { codesOf, compile, rubricOf } from './fixtures/compiling.js';
import type { CompileOptions } from './options.js';

const tone = criterion('tone', { description: 'Polite.' });

describe('schemas and inputs', () => {
  const outputs = { type: 'object' };
  const inputs = { type: 'object', required: ['text'], properties: { text: { type: 'string' }, n: {} } };
  const shaped = agent(profile({ grading_rubric: [criterion('schema_validity'), tone] }), {
    capabilities: [
      { name: 'first', inputs, outputs },
      { name: 'second', outputs: { type: 'array' } },
    ],
  });

  test("a row's own schema comes before its capability's", async () => {
    const { contract } = await compile(shaped, [
      { id: 'a', input: 1 },
      { id: 'b', input: 1, schema: { type: 'string' } },
      { id: 'c', input: 1, capability: 'second' },
    ]);
    expect(Object.values(contract.tasks).map(({ schema }) => schema)).toEqual([
      outputs,
      { type: 'string' },
      { type: 'array' },
    ]);
  });

  test('a soft check without a schema is left out, where there is none that says anything', async () => {
    const soft = agent(profile({ grading_rubric: [criterion('schema_validity', { strict: false }), tone] }), {
      capabilities: [{ name: 'first', outputs: {} }],
    });
    const compiled = await compile(soft, [{ id: 'a', input: 1 }]);
    expect(compiled.contract.tasks.a?.criteria).toEqual(['tone']);
    expect(codesOf(compiled)).toEqual(['criterion_unused']);
  });

  test.each<{ input: Json; schema: Parameters<typeof agent>[1]; wrapped: Json }>([
    { input: 'hi', schema: { capabilities: [{ name: 'a', inputs }] }, wrapped: { text: 'hi' } },
    { input: { text: 'hi' }, schema: { capabilities: [{ name: 'a', inputs }] }, wrapped: { text: 'hi' } },
    { input: 'hi', schema: {}, wrapped: 'hi' },
    {
      input: 'hi',
      schema: { capabilities: [{ name: 'a', inputs: { ...inputs, required: ['text', 'n'] } }] },
      wrapped: 'hi',
    },
    {
      input: 'hi',
      schema: { capabilities: [{ name: 'a', inputs: { ...inputs, required: ['n'] } }] },
      wrapped: 'hi',
    },
    {
      input: 'hi',
      schema: { capabilities: [{ name: 'a', inputs: { ...inputs, required: ['toString'] } }] },
      wrapped: 'hi',
    },
    { input: 'hi', schema: { capabilities: [{ name: 'a', inputs: { type: 'string' } }] }, wrapped: 'hi' },
  ])('input $input of $schema', async ({ input, schema, wrapped }) => {
    const { suite } = await compile(agent(profile(), schema), [{ input, expected: 1 }]);
    expect(suite.tasks[0]?.input).toEqual(wrapped);
  });

  test('tools and memories become fixtures; a row without them has none', async () => {
    const { suite } = await compile(agent(profile()), [
      {
        input: 1,
        expected: 1,
        tools: [{ tool: 'local:x', response: null }, { tool: 'local:y' }],
        memory: [{ content: 'm' }],
      },
      { input: 1, expected: 1, tools: [], memory: [] },
    ]);
    expect(suite.tasks.map(({ fixtures }) => fixtures)).toEqual([
      {
        toolResponses: [{ tool: 'local:x', response: null }, { tool: 'local:y' }],
        memorySeed: [{ content: 'm' }],
      },
      undefined,
    ]);
  });
});

describe('the suite', () => {
  const rows = [{ input: 1, expected: 1 }];

  test('is named after the author and the agent, or as the options say', async () => {
    const named = async (rest: Partial<DefinitionAgent>, options?: CompileOptions) =>
      (await compile(agent(profile(), rest), rows, options)).suite;
    expect((await named({ author: '日本', name: 'Ünder Dog' })).suiteId).toBe('local.local.evals.under-dog');
    expect((await named({ name: '日本', id: 'AB-12' })).suiteId).toBe('local.northwind-finance.evals.ab-12');
    expect((await named({ form: 'B', id: 'my_bot' })).suiteId).toBe('local.northwind-finance.evals.my-bot');
    const options = { scope: 'vendor', org: 'acme', targetAgentId: 'local.acme.triage' };
    expect(await named({}, options)).toMatchObject({
      suiteId: 'vendor.acme.evals.invoice-triage',
      targetAgentId: 'local.acme.triage',
    });
  });

  test('has the numbers of the version; the contract has all of it', async () => {
    const compiled = await compile(agent(profile(), { version: '1.2.0-rc.1+b7' }), rows);
    expect(compiled.suite.version).toBe('1.2.0');
    expect(compiled.contract).toMatchObject({ suiteVersion: '1.2.0', agent: { version: '1.2.0-rc.1+b7' } });
    expect(codesOf(compiled)).toEqual(['version_shortened']);
  });

  test('has the expected latency as its threshold, unless it is only to be reported', async () => {
    const slow = agent(profile({ expected_latency_ms: 0 }));
    const gated = await compile(slow, rows);
    expect(gated.suite.thresholds).toEqual({ passScore: 1, maxP95LatencyMs: 0 });
    expect(codesOf(gated)).toEqual(['zero_latency']);
    const warned = await compile(slow, rows, { sla: 'warn' });
    expect(warned.suite.thresholds).toEqual({ passScore: 1 });
    expect(warned.contract.sla).toEqual({ expectedLatencyMs: 0, policy: 'warn' });
  });

  test("has the policy's cost as its threshold only when asked", async () => {
    const capped = agent(profile(), { budgetCaps: { total_cost: 2.5 } });
    expect((await compile(capped, rows)).suite.thresholds).toEqual({ passScore: 1 });
    expect((await compile(capped, rows, { budget: true })).suite.thresholds).toEqual({
      passScore: 1,
      maxCostUsd: 2.5,
    });
    expect(codesOf(await compile(agent(profile()), rows, { budget: true }))).toEqual(['budget_missing']);
  });

  test('is remarked on when the agent would judge itself', async () => {
    const own = agent(profile({ evaluator_model: 'm-1' }), { model: 'm-1' });
    const compiled = await compile(own, rows);
    expect(compiled.contract.judge).toEqual({ model: 'm-1' });
    expect(codesOf(compiled)).toEqual(['judge_is_agent_model']);
  });

  test('has an id of a bearable length, and two long names that begin alike have two', async () => {
    const long = 'x'.repeat(500);
    const idOf = async (name: string, author: string) =>
      (await compile(agent(profile(), { name, author }), rows)).suite.suiteId;
    const [one, other] = [await idOf(`${long} one`, long), await idOf(`${long} two`, long)];
    expect(one).not.toBe(other);
    for (const id of [one, other])
      expect(id.split('.').every((part) => part.length <= 64 && /^[a-z0-9-]+$/.test(part))).toBe(true);
    expect(await idOf('x'.repeat(64), 'Acme')).toBe(`local.acme.evals.${'x'.repeat(64)}`);
  });

  test('may be given a name of its own, for another agent that is held to the same contract', async () => {
    const mine = await compile(agent(profile()), rows, { name: 'second-desk' });
    expect(mine.suite.suiteId).toBe('local.northwind-finance.evals.second-desk');
  });

  test('has no checks, whatever its criteria look like', async () => {
    const names = ['[check:json] Valid.', '[check:nothing'];
    const compiled = await compile(rubricAgent(...names.map((name) => criterion(name))), [
      { id: 'a', input: 1 },
    ]);
    expect(rubricOf(compiled).map((entry) => entry.criterion)).toEqual(
      names.map((name) => `Criterion ${name}`),
    );
    expect(compiled.contract.criteria.map(({ name }) => name)).toEqual(names);
    expect(parseSuite(compiled.suite).head.judgedTasks).toBe(1);
  });
});
