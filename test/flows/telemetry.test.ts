import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { startModelServer } from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import { reply, serve } from '../../packages/touchstone/src/agents/fixtures/serve.js';
import { importInto } from '../../packages/touchstone/src/cli/testing/import-checks.js';
import { openTestCli, type TestCli } from '../../packages/touchstone/src/cli/testing/test-cli.js';
import { startCollector } from '../../packages/touchstone/src/telemetry/testing/collector.js';

// A run against an agent, a tool and a judge that are reached by HTTP, watched by a collector on loopback.

const CANARIES = {
  input: 'canary-in-the-input',
  output: 'canary-in-the-answer',
  tool: 'canary-in-the-arguments',
  outcome: 'canary-in-the-outcome',
  error: 'canary-in-the-error',
  reason: 'canary-in-the-reason',
  header: 'canary-in-the-header-of-a-tenant',
};
const SECRET = 'sk-of-the-agent-0123456789';
const AGENT = 'local.test.desk';

type Headers = { agent: IncomingHttpHeaders[]; tool: IncomingHttpHeaders[]; model: IncomingHttpHeaders[] };

afterEach(() => vi.unstubAllEnvs());

async function openWorld(
  env: { readonly [name: string]: string } = {},
  telemetry: object = {},
  key = SECRET,
) {
  const collector = await startCollector();
  const headers: Headers = { agent: [], tool: [], model: [] };
  const agent = await serve((body, response, request) => {
    headers.agent.push(request.headers);
    reply(response, 200, answerOf(JSON.parse(body), key));
  });
  const tool = await serve((_body, response, request) => {
    headers.tool.push(request.headers);
    reply(response, 200, { status: CANARIES.outcome });
  });
  const judge = await startModelServer((request) => {
    headers.model.push(request.headers);
    const verdicts = [{ criterion: 1, met: true, reason: CANARIES.reason }];
    return { say: JSON.stringify({ verdicts }), usage: { input: 30, output: 6 } };
  });
  onTestFinished(async () => {
    await Promise.all([collector.close(), agent.close(), tool.close(), judge.close()]);
  });
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const cli = openTestCli({ env: variables });
  onTestFinished(() => cli.close());
  cli.write('touchstone.config.json', {
    telemetry,
    providers: { local: { kind: 'openai-compatible', baseUrl: judge.baseUrl } },
    judge: { model: 'local/judge-1' },
    tools: [
      {
        toolId: 'shop:orders.get',
        kind: 'http',
        url: tool.url,
        safetyTier: 'read',
        headers: { 'x-tenant': CANARIES.header },
      },
    ],
    agents: [
      {
        agentId: AGENT,
        version: '1.2.0',
        persona: 'Desk',
        toolAllowlist: ['shop:orders.get', 'shop:stock.get'],
        run: { kind: 'http', url: agent.url, headers: { authorization: `Bearer ${SECRET}` } },
      },
    ],
  });
  cli.write('desk.suite.yaml', SUITE);
  return { cli, collector, headers };
}

const SUITE = `
suiteId: local.test.evals.desk
version: 1.0.0
tasks:
  - taskId: fixed
    input: { question: ${CANARIES.input} }
    fixtures:
      toolResponses: [{ tool: "shop:orders.get", response: { status: ${CANARIES.outcome} } }]
    expect:
      - { tool-called: "shop:orders.get" }
      - The answer is kind.
  - taskId: live
    input: ${CANARIES.input}
    expect: [{ tool-called: "shop:orders.get" }, { contains: nothing-like-it }]
`;

/** Two tools, the second of which fails with words of its own; then an answer, with the model that was asked for it. */
function answerOf({ turn, toolResults }: Turn, key: string) {
  const call = (toolId: string) => ({ callId: 'a', toolId, inputs: { order: CANARIES.tool, key } });
  if (turn === 0) return { toolCalls: [call('shop:orders.get')] };
  if (turn === 1) return { toolCalls: [call('shop:stock.get')] };
  return {
    output: `${CANARIES.output} ${SECRET} after ${toolResults?.length}`,
    reasoning: CANARIES.error,
    usage: [{ provider: 'acme', model: 'large-1', inputTokens: 100, outputTokens: 20 }],
  };
}
type Turn = { readonly turn: number; readonly toolResults?: readonly object[] };

const run = (cli: TestCli, ...argv: readonly string[]) =>
  cli.run('run', 'desk.suite.yaml', '--json', ...argv);

const digits = (...words: readonly string[]): string =>
  createHash('sha256').update(words.join(' ')).digest('hex');

describe('without the flag', () => {
  it('nobody is connected to, whatever the variables say, and no request carries a trace', async () => {
    const { cli, collector, headers } = await openWorld({
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_SDK_DISABLED: 'false',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    });
    expect((await run(cli)).code).toBe(1);
    expect(collector.connections).toBe(0);
    expect(
      [...headers.agent, ...headers.tool, ...headers.model].map(({ traceparent }) => traceparent),
    ).toEqual(Array.from({ length: headers.agent.length + 2 }, () => undefined));
  });
});

describe('with the flag', () => {
  it('a collector gets a trace of each invocation, the run, and a result for each task and criterion', async () => {
    const { cli, collector } = await openWorld();
    const { out, err } = await run(cli, '--otel');
    expect(err).not.toContain('OpenTelemetry');
    const { runId } = JSON.parse(out);
    expect(new Set(collector.received.map(({ path }) => path))).toEqual(new Set(['/v1/traces', '/v1/logs']));
    expect(collector.resource()).toMatchObject({ 'service.name': 'touchstone' });

    const spans = collector.spans();
    const whole = spans.find(({ name }) => name === 'evaluate local.test.evals.desk');
    const [first] = spans.filter(({ name }) => name === `invoke_agent ${AGENT}`);
    expect(whole?.attributes).toMatchObject({
      'touchstone.run.id': runId,
      'touchstone.run.status': 'completed',
    });
    expect(whole?.traceId).toBe(digits(runId).slice(0, 32));
    expect(first).toMatchObject({
      traceId: digits(runId, 'inv-0.0').slice(0, 32),
      spanId: digits(runId, 'inv-0.0').slice(32, 48),
      kind: 3,
      links: [{ traceId: whole?.traceId, spanId: whole?.spanId }],
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': AGENT,
        'gen_ai.agent.name': 'Desk',
        'gen_ai.agent.version': '1.2.0',
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 20,
        'touchstone.run.id': runId,
        'touchstone.suite.id': 'local.test.evals.desk',
        'touchstone.suite.version': '1.0.0',
        'touchstone.task.id': 'fixed',
        'touchstone.repeat': 0,
      },
    });
    const children = spans.filter(({ parentSpanId }) => parentSpanId === first?.spanId);
    expect(
      children.map(({ name, status, attributes: a }) => [
        name,
        status,
        a['touchstone.role'] ?? a['touchstone.tool.source'],
      ]),
    ).toEqual([
      ['execute_tool shop:orders.get', 0, 'fixture'],
      ['execute_tool shop:stock.get', 2, 'fixture'],
      ['chat large-1', 0, 'agent'],
      ['chat judge-1', 0, 'judge'],
    ]);
    expect(children.every(({ traceId }) => traceId === first?.traceId)).toBe(true);

    const results = collector.results();
    expect(results.every(({ eventName }) => eventName === 'gen_ai.evaluation.result')).toBe(true);
    const shown = results.map(({ attributes: a, spanId }) => [
      a['touchstone.task.id'],
      a['gen_ai.evaluation.name'] === 'score' ? 'score' : 'criterion',
      a['gen_ai.evaluation.score.label'],
      spanId === first?.spanId,
    ]);
    expect(shown).toEqual([
      ['fixed', 'criterion', 'met', true],
      ['fixed', 'criterion', 'met', true],
      ['fixed', 'score', 'pass', true],
      ['live', 'criterion', 'met', false],
      ['live', 'criterion', 'unmet', false],
      ['live', 'score', 'fail', false],
    ]);
  });

  it('requests to agents, tools and models name their span, and only those of the invocation they belong to', async () => {
    const { cli, collector, headers } = await openWorld();
    await run(cli, '--otel');
    const ref = ({ traceparent }: IncomingHttpHeaders) => String(traceparent).split('-').slice(1, 3);
    const spans = collector.spans();
    const named = (name: string, taskId: string) =>
      spans
        .filter((span) => span.name === name && span.attributes['touchstone.task.id'] === taskId)
        .map(({ traceId, spanId }) => [traceId, spanId]);
    expect(new Set(headers.agent.map((one) => ref(one).join()))).toEqual(
      new Set(['fixed', 'live'].flatMap((taskId) => named(`invoke_agent ${AGENT}`, taskId)).map(String)),
    );
    expect(headers.tool.map(ref)).toEqual(named('execute_tool shop:orders.get', 'live'));
    expect(headers.model.map(ref)).toEqual(named(`invoke_agent ${AGENT}`, 'fixed'));
  });

  it.each([
    ['neither switch is set', {}, {}],
    ['only the variable is set', { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' }, {}],
    ['only the configuration allows it', {}, { content: true }],
  ])('no content is sent when %s', async (_, env, telemetry) => {
    const { cli, collector } = await openWorld(env, telemetry);
    await run(cli, '--otel');
    const sent = collector.received.map(({ bytes }) => bytes.toString('latin1')).join('');
    expect(sent).toContain('fixed');
    for (const canary of [...Object.values(CANARIES), SECRET]) expect(sent).not.toContain(canary);
  });

  it('content is sent with both switches, without secrets', async () => {
    const { cli, collector } = await openWorld(CAPTURE, { otel: true, content: true });
    await run(cli);
    const sent = collector.received.map(({ bytes }) => bytes.toString('utf8')).join('');
    const { input, output, tool, outcome, reason, header } = CANARIES;
    for (const canary of [input, output, tool, outcome, reason]) expect(sent).toContain(canary);
    for (const secret of [SECRET, header]) expect(sent).not.toContain(secret);
  });

  it('what was sent can be imported, and the agent still takes the same way', async () => {
    const { cli, collector } = await openWorld(CAPTURE, { otel: true, content: true }, 'none');
    await run(cli);
    cli.write('traces.jsonl', collector.lines());
    const { lost } = await importInto(cli, 'otel', 'traces.jsonl', '--where', 'touchstone.task.id=fixed');
    // The tool that failed has answered nothing that a fixture could say.
    expect(lost).toBe(1);
    const { tasks } = parse(cli.read('out/traces.suite.yaml'));
    expect(tasks[0].input).toEqual({ question: CANARIES.input });
    const answered = await cli.run('run', 'out/traces.suite.yaml', '--agent', AGENT, '--json');
    expect([answered.code, JSON.parse(answered.out).summary.passedCount]).toEqual([0, 1]);
  });

  it.each([
    ['gzip', { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }, { 'content-encoding': 'gzip' }],
    ['headers', { OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=abc%20def' }, { 'x-api-key': 'abc def' }],
  ])('%s are as the variables say', async (_, env, expected) => {
    const { cli, collector } = await openWorld(env);
    await run(cli, '--otel');
    for (const { headers } of collector.received) expect(headers).toMatchObject(expected);
    expect(collector.spans().length).toBeGreaterThan(0);
  });

  it('a service is called and described as the variables say', async () => {
    const { cli, collector } = await openWorld({
      OTEL_SERVICE_NAME: 'nightly',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=ci',
    });
    await run(cli, '--otel');
    expect(collector.resource()).toMatchObject({ 'service.name': 'nightly', 'deployment.environment': 'ci' });
  });

  it.each([
    ['OTEL_SDK_DISABLED', { OTEL_SDK_DISABLED: 'true' }],
    ['an endpoint that is no address', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }],
  ])('%s switches it off, and one line says so', async (_, env) => {
    const { cli, collector } = await openWorld(env);
    const { code, err } = await run(cli, '--otel');
    expect([code, collector.connections]).toEqual([1, 0]);
    expect(err.match(/OpenTelemetry: .*; nothing is sent\./g)).toHaveLength(1);
  });

  it('another protocol is told', async () => {
    const { cli, collector } = await openWorld({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
    const { err } = await run(cli, '--otel');
    expect(err).toContain('OTEL_EXPORTER_OTLP_PROTOCOL asks for another protocol; http/protobuf is');
    expect(collector.spans().length).toBeGreaterThan(0);
  });

  it('is refused for a run on another host', async () => {
    const { cli } = await openWorld();
    const { code, out } = await run(cli, '--otel', '--host', 'http://127.0.0.1:9');
    expect([code, out]).toEqual([2, expect.stringContaining('another host decides')]);
  });
});

describe('a run that is derived from another', () => {
  it('tells nothing when it is a replay, and only the new verdicts when its answers are judged again', async () => {
    const { cli, collector } = await openWorld({ TOUCHSTONE_OTEL: '1' });
    const { runId } = JSON.parse((await run(cli)).out);
    const [spans, results] = [collector.spans().length, collector.results().length];
    expect((await cli.run('replay', runId, '--json')).code).toBe(0);
    expect([collector.spans().length, collector.results().length]).toEqual([spans, results]);
    await cli.run('rejudge', runId, '--json');
    const more = collector.spans().slice(spans);
    expect(more.map(({ name }) => name)).toEqual(['chat judge-1', 'evaluate local.test.evals.desk']);
    expect(more[0]?.parentSpanId).toBe(digits(runId, 'inv-0.0').slice(32, 48));
    expect(collector.results().length).toBe(2 * results);
  });
});

it('a call from the thread of a module names its own span, with many tasks at a time', async () => {
  const { cli, collector, headers } = await openWorld();
  cli.write(
    'agent.mjs',
    "export default async (n, ctx) => (await ctx.tools.call('shop:orders.get', { n })) && 'ok';",
  );
  const config = JSON.parse(cli.read('touchstone.config.json'));
  const own = {
    ...config.agents[0],
    agentId: 'local.test.module',
    run: { kind: 'module', path: 'agent.mjs' },
  };
  cli.write('touchstone.config.json', { ...config, agents: [own] });
  cli.write('many.suite.yaml', MANY);
  expect((await cli.run('run', 'many.suite.yaml', '--otel', '--concurrency', '8')).code).toBe(0);
  const calls = collector.spans().filter(({ name }) => name === 'execute_tool shop:orders.get');
  expect(calls.length).toBe(20);
  expect(headers.tool.map(({ traceparent }) => traceparent).sort()).toEqual(
    calls.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`).sort(),
  );
});

const MANY = `
suiteId: local.test.evals.many
version: 1.0.0
tasks:
${Array.from({ length: 20 }, (_, n) => `  - { taskId: t-${n}, input: ${n}, expect: [{ equals: ok }] }`).join('\n')}
`;

const CAPTURE = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' };
