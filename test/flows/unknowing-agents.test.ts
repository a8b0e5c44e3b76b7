// Goal: an agent cannot tell an evaluation from a single run by what it is given. Method: agents of every kind answer with
// everything that reached them, headers included; the answers of both kinds of run are compared, ids apart.
import type { RunId } from '@touchstone/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnsweringServer, startAnsweringServer } from './answering-server.js';
import { eventsOf, payloadsOf, readJson } from './pack-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

const INPUT = { city: 'Bergen' };
const TOOL = 'local:weather.get';

const MODULE = `export default (input, ctx) => {
  const { runId, invocationId, memory, tools } = ctx;
  return { input, runId, invocationId, memory, offered: tools.offered, members: Object.getOwnPropertyNames(Object.getPrototypeOf(ctx)) };
};
`;
const PROGRAM = `import { readFileSync } from 'node:fs';
const given = { request: JSON.parse(readFileSync(0, 'utf8')), args: process.argv.slice(2), env: process.env };
process.stdout.write(JSON.stringify({ output: given }));
`;

const KINDS: { readonly [kind: string]: (origin: string) => object } = {
  module: () => ({ path: './agent.mjs' }),
  command: () => ({ command: process.execPath, args: ['./program.mjs'] }),
  http: (origin) => ({ url: `${origin}/turn` }),
  openai: (origin) => ({ baseUrl: `${origin}/v1`, model: 'desk-1', system: 'You advise travellers.' }),
  openwop: (origin) => ({ baseUrl: origin, agentId: 'local.acme.remote' }),
};
const agentIdOf = (kind: string): string => `local.test.as-${kind}`;

let host: WholeHost;
let server: AnsweringServer;
beforeAll(async () => {
  server = await startAnsweringServer();
  const agents = Object.entries(KINDS).map(([kind, run]) => ({
    agentId: agentIdOf(kind),
    version: '1.0.0',
    toolAllowlist: [TOOL, 'x-host-touchstone:memory.write'],
    memoryShape: { longTerm: true },
    run: { kind, ...run(server.origin) },
  }));
  const tools = [{ toolId: TOOL, kind: 'http', url: `${server.origin}/tool`, tenants: ['acme'] }];
  const files = { 'agent.mjs': MODULE, 'program.mjs': PROGRAM };
  host = await openWholeHost({ agents, tools }, { files });
});
afterAll(async () => {
  await host.close();
  await server.close();
});

type CompletedPayload = { readonly outputs?: { readonly output: unknown } };

/** What the agent answered in a run of its own. */
async function answerAlone(agentId: string): Promise<unknown> {
  const body = { agentId, inputs: INPUT };
  const created = await readJson(host, '/v1/runs', { method: 'POST', body });
  const events = await eventsOf(host, created.body.runId as string);
  const [{ outputs } = {}] = payloadsOf(events, 'run.completed') as readonly CompletedPayload[];
  return outputs?.output;
}

/** What it answered to the same input as the last task of an evaluation, in its second repeat. */
async function answerEvaluated(agentId: string, fixtures?: object): Promise<unknown> {
  const suiteId = `local.test.evals.${agentId.split('.').at(-1)}${fixtures ? '-seeded' : ''}`;
  const expected = { kind: 'golden', match: { strategy: 'contains', value: '' } };
  const task = (taskId: string) => ({ taskId, input: INPUT, expected, ...(fixtures && { fixtures }) });
  const client = host.client();
  await client.suites.install({
    suiteId,
    version: '1.0.0',
    modes: ['golden'],
    tasks: [task('a'), task('b')],
  } as never);
  const run = { mode: 'eval', evalSuiteRef: `${suiteId}@1.0.0`, agentId, configurable: { repeats: 2 } };
  const { runId } = await client.runs.create(run as never);
  await client.waitForScorecard(runId as RunId);
  const { body } = await readJson(host, `/v1/host/touchstone/runs/${runId}/tasks/b`);
  const { invocations } = body as unknown as { invocations: readonly { output: unknown }[] };
  return invocations[1]?.output;
}

/** Ids are new for every invocation; what is left of one is its form. */
const withoutIds = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer).replaceAll(/\b(run|inv|mem)-[0-9a-f]{26}\b/g, '<an id: $1>'));

describe.each(Object.keys(KINDS))('an agent of kind %s', (kind) => {
  it('is given the same by an evaluation as by a run of its own, ids apart', async () => {
    const alone = await answerAlone(agentIdOf(kind));
    const evaluated = await answerEvaluated(agentIdOf(kind));
    expect(JSON.stringify(alone)).toContain('Bergen');
    expect(evaluated).not.toEqual(undefined);
    expect(withoutIds(evaluated)).toEqual(withoutIds(alone));
    expect(JSON.stringify(evaluated)).not.toMatch(/inv-\d+\.\d|eval|suite|repeat|ordinal|seed/i);
  });
});

it('seeds of a task look like notes that the agent has kept', async () => {
  const agentId = agentIdOf('http');
  server.noteNext({ content: 'Hates umbrellas.', tags: ['customer:7'] });
  await answerAlone(agentId);
  const kept = await memoryIn(answerAlone(agentId));
  const seeded = await memoryIn(
    answerEvaluated(agentId, { memorySeed: [{ content: 'Hates umbrellas.', tags: ['customer:7'] }] }),
  );
  expect(kept).toHaveLength(1);
  const form = (entries: typeof kept) =>
    withoutIds(
      entries.map(({ createdAt, ...entry }) => ({ ...entry, createdAt: createdAt.replaceAll(/\d/g, '0') })),
    );
  expect(form(seeded)).toEqual(form(kept));
});

type AgentRequest = { readonly body: { readonly memory: readonly { readonly createdAt: string }[] } };
const memoryIn = async (answer: Promise<unknown>) => ((await answer) as AgentRequest).body.memory;
