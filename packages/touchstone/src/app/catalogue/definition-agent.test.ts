import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asId, isHostError, type Principal, type RunId } from '@touchstone/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ModelScript, startModelServer } from '../../agents/fixtures/model-server.js';
import { parseDefinition, readDefinition } from '../../profiles/definition/read-definition.js';
import { INVOICES, POLICIES } from '../../profiles/definition/testing/definitions.js';
import type { DefinitionAgent } from '../../profiles/types.js';
import { createTouchstone } from '../compose.js';
import { parseConfig } from '../config/config.js';
import { definitionAgentId, definitionSpec } from './definition-agent.js';

const agentIn = (text: string): DefinitionAgent => readDefinition(text).agents[0] as DefinitionAgent;
type Definition = {
  readonly config: { readonly system_prompt?: string };
  readonly capabilities: readonly object[];
};
function invoicesWith(change: (definition: Definition) => object): DefinitionAgent {
  const definition = JSON.parse(INVOICES) as Definition;
  return parseDefinition({ ...definition, status: 'draft', ...change(definition) })
    .agents[0] as DefinitionAgent;
}

describe('the agent of a definition', () => {
  it('of form A is its prompt, its model and its schemas, under a name that is allowed here', () => {
    const agent = agentIn(INVOICES);
    expect(definitionSpec(agent)).toMatchObject({
      agentId: 'local.northwind-finance.invoice-triage',
      version: '1.2.0',
      persona: 'Invoice Triage',
      toolAllowlist: ['https://tools.example/ledger', 'local:parse_amount'],
      handoff: { taskSchema: { required: ['text'] }, returnSchema: { required: ['queue', 'amount_minor'] } },
      run: { kind: 'manifest', model: 'router-small-1', temperature: 0, systemPrompt: agent.systemPrompt },
    });
  });

  it('of form B is told its role, its goal and its background', () => {
    const { run, agentId } = definitionSpec(agentIn(POLICIES));
    expect(agentId).toBe('local.local.policy-summariser');
    expect(run).toMatchObject({
      model: 'writer-medium-3',
      systemPrompt:
        'Your role: Benefits analyst.\nYour goal: Summarise one leave policy for employees.\nYour background: Cites the clause behind every number.',
    });
    expect(run).not.toHaveProperty('temperature');
  });

  it('that can do several things has no schema for all of them', () => {
    const agent = invoicesWith(({ capabilities: [first] }) => ({
      capabilities: [first, { ...first, name: 'other' }],
    }));
    expect(definitionSpec(agent)).not.toHaveProperty('handoff');
  });

  it('without a prompt is told who it is', () => {
    const agent = invoicesWith(({ config }) => ({ config: { ...config, system_prompt: null } }));
    expect(definitionSpec(agent).run).toMatchObject({ systemPrompt: 'You are Invoice Triage.' });
  });

  it('without a prompt and a model cannot be played', () => {
    const { model: _, systemPrompt: __, ...silent } = agentIn(INVOICES);
    const refusal = (() => {
      try {
        return definitionSpec(silent);
      } catch (error) {
        return error;
      }
    })();
    expect(isHostError(refusal) && refusal.code).toBe('validation_error');
  });

  it.each([
    ['Ünïcode Ltd.', '42 Bots'],
    ['東京', '…'],
  ])('of %s called %s has an id all the same', (author, name) => {
    const agent = { ...agentIn(INVOICES), author, name };
    expect(definitionAgentId(agent)).toMatch(/^local\.[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/);
    expect(definitionSpec(agent).agentId).toBe(definitionAgentId(agent));
  });
});

const ME: Principal = {
  id: 'me',
  owner: { tenant: 'local', workspace: 'main' },
  roles: ['admin'],
  scopes: new Set(['*']),
};

/** Compiles the agent's contract, registers the agent itself, and runs the one against the other. */
async function play(agent: DefinitionAgent, rows: readonly object[], script: ModelScript) {
  const server = await startModelServer(script);
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-definition-'));
  const config = parseConfig(
    {
      providers: { near: { kind: 'openai-compatible', baseUrl: server.baseUrl } },
      models: {
        'router-small-1': 'near/small',
        'writer-medium-3': 'near/medium',
        'judge-large-2': 'near/judge',
      },
    },
    folder,
  );
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const house = await createTouchstone({ config, dataDir: folder, origin: 'cli', log, env: {} });
  onTestFinished(async () => {
    await house.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });
  const { agentId } = await house.useDefinition(agent);
  const options = { targetAgentId: agentId };
  const compiled = await house.profiles.compile({ agent, rows, from: { trust: 'operator' }, options });
  await house.profiles.replace(ME.owner, compiled);
  const evalSuiteRef = compiled.suite.head.suiteId;
  const { runId } = await house.createRun(ME, { mode: 'eval', evalSuiteRef, agentId }, { start: false });
  await house.engine.drive(ME.owner, runId);
  const run = await house.store.runs.get(ME.owner, asId<RunId>(runId));
  return { server, run, report: await house.contractReport(ME.owner, runId) };
}

describe('played by a model', () => {
  it('form A answers as its schema says, at its temperature, after its own prompt', async () => {
    const rows = [
      { id: 'a', input: 'Total 80.00 EUR', expected: { queue: 'pay', amount_minor: 8_000 } },
      { id: 'b', input: { text: 'Total 9.00 EUR' }, expected: { queue: 'pay', amount_minor: 900 } },
    ];
    const { server, run, report } = await play(agentIn(INVOICES), rows, ({ body }) => ({
      say: JSON.stringify({
        queue: 'pay',
        amount_minor: String(body.messages.at(-1)?.content).includes('80.00') ? 8_000 : 900,
      }),
    }));
    expect(report).toMatchObject({ verdict: 'pass', tasks: { passed: 2 } });
    expect(run?.plan).toMatchObject({ model: { provider: 'near', model: 'small', temperature: 0 } });
    expect(server.requests).toHaveLength(2);
    for (const { body } of server.requests) {
      expect(body).toMatchObject({ model: 'small', temperature: 0 });
      expect(String(body.messages[0]?.content)).toContain('Reply with one JSON object naming the queue');
      // A text becomes the object that the agent takes.
      expect(JSON.parse(String(body.messages.at(-1)?.content))).toEqual({ text: expect.any(String) });
    }
  });

  it('form B is judged by the model its profile names', async () => {
    const rows = [{ id: 'a', input: 'Staff get 5 days.', reference: 'Five days.' }];
    const { server, report } = await play(agentIn(POLICIES), rows, ({ body }) => {
      if (body.model === 'medium') return { say: JSON.stringify({ summary: 'Five days.' }) };
      const verdicts = [1, 2].map((criterion) => ({ criterion, reason: 'so', met: true, score: 0.95 }));
      return { say: JSON.stringify({ verdicts }) };
    });
    expect(server.requests.map(({ body }) => body.model)).toEqual(['medium', 'judge']);
    expect(server.requests[0]?.body).not.toHaveProperty('temperature');
    expect(report).toMatchObject({
      verdict: 'pass',
      judge: { provider: 'near', model: 'judge' },
      criteria: [{ mean: 0.95 }, { mean: 0.95 }, { strict: false, status: 'pass' }],
    });
  });

  it('an answer that is no JSON is an answer, which the contract finds wanting', async () => {
    const rows = [{ id: 'a', input: 'x', expected: { queue: 'pay', amount_minor: 1 } }];
    const { report, run } = await play(agentIn(INVOICES), rows, () => ({ say: 'Pay it.' }));
    expect(run).toMatchObject({ status: 'completed', headline: { aggregateScore: 0 } });
    expect(report).toMatchObject({
      verdict: 'fail',
      criteria: [{ met: 0 }, { met: 0 }, { strict: false, met: 1 }],
    });
  });

  it('calls the tools that its rows stand in for', async () => {
    const agent = invoicesWith(() => ({ evaluation: { grading_rubric: [{ name: 'tool_usage' }] } }));
    const tools = [{ tool: 'local:parse_amount', response: { minor: 1 } }];
    const rows = [{ id: 'a', input: 'x', tools }];
    const { report, server } = await play(agent, rows, ({ body }) => {
      const offered = body.tools as readonly { readonly function: { readonly name: string } }[];
      const name =
        offered.map((tool) => tool.function.name).find((one) => one.includes('parse_amount')) ?? '';
      return body.messages.some(({ role }) => role === 'tool')
        ? { say: JSON.stringify({ queue: 'pay', amount_minor: 1 }) }
        : { calls: [{ name, arguments: { text: 'x' } }] };
    });
    expect(server.requests).toHaveLength(2);
    expect(report).toMatchObject({ verdict: 'pass', criteria: [{ id: 'tool-usage', met: 1 }] });
  });
});
