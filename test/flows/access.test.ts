import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelAction, ModelScript } from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import { judged, openJudgeHost, resultOf, rubricTask, suiteOf } from './judge-host.js';
import {
  createEval,
  echoes,
  eventsOf,
  install,
  modelConfig,
  questionIn,
  readJson,
  startModelServer,
} from './pack-host.js';
import { runCli, temporaryFolder } from './processes.js';
import { openWholeHost } from './whole-host.js';

const CANARY = 'canary-of-a-provider';
const refusal = (status: number, code: string): ModelAction => ({
  status,
  body: JSON.stringify({ error: { message: `${CANARY} Incorrect API key provided: sk-123`, code } }),
});
const DENIED = refusal(401, 'invalid_api_key');

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** Runs ten tasks, one at a time, against a model that answers by this script. */
async function evaluateWith(script: ModelScript) {
  const model = await startModelServer(script);
  open.push(model);
  const host = await openWholeHost(modelConfig(model));
  open.push(host);
  const tasks = Array.from({ length: 10 }, (_, index) => ({ input: `q${index}`, expect: `q${index}` }));
  await install(host, { tasks });
  const { body } = await createEval(host, { configurable: { concurrency: 1 } });
  const runId = body.runId as string;
  const events = await eventsOf(host, runId);
  const snapshot = (await readJson(host, `/v1/runs/${runId}`)).body;
  return { host, model, runId, events, snapshot };
}

/** The nth question is refused when `denies(n)`. */
const deniedWhen =
  (denies: (asked: number) => boolean): ModelScript =>
  (request, index) =>
    denies(index) ? DENIED : echoes(request, index);

describe('a provider that does not let the host in', () => {
  it.each([
    ['a rejected key', refusal(401, 'invalid_api_key'), '401 invalid_api_key'],
    ['no credit', refusal(402, 'payment_required'), '402 payment_required'],
    ['a forbidden project', refusal(403, 'forbidden'), '403 forbidden'],
    ['a missing model', refusal(404, 'model_not_found'), '404 model_not_found'],
    ['an exhausted quota', refusal(429, 'insufficient_quota'), '429 insufficient_quota'],
  ])(
    'at the first task (%s) ends the run at once, with the cause and without a score',
    async (_, action, words) => {
      const { host, model, runId, events, snapshot } = await evaluateWith(() => action);
      expect(model.requests).toHaveLength(1);
      expect(snapshot).toMatchObject({
        status: 'failed',
        error: { code: 'agent_denied', message: `The agent could not be asked: local answered ${words}.` },
      });
      expect(events.at(-1)?.type).toBe('run.failed');
      expect(events.map(({ type }) => type)).not.toContain('eval.completed');
      expect((await readJson(host, `/v1/runs/${runId}/eval-summary`)).status).toBe(404);
      expect(JSON.stringify([events, snapshot, host.logs])).not.toContain(CANARY);
    },
  );

  it('for a while leaves those tasks unscored, and the run continues', async () => {
    const { snapshot, host, runId } = await evaluateWith(deniedWhen((asked) => asked >= 1 && asked < 5));
    expect(snapshot.status).toBe('completed');
    const { body } = await readJson(host, `/v1/host/touchstone/runs/${runId}/results`);
    const results = (body as unknown as { items: { result: object }[] }).items.map(({ result }) => result);
    expect(results[1]).toMatchObject({
      unscored: 'agent_denied',
      denial: { provider: 'local', status: 401, code: 'invalid_api_key' },
    });
    expect(results.filter((result) => 'unscored' in result)).toHaveLength(4);
    expect(results.at(-1)).toMatchObject({ score: 1, passed: true });
  });

  it('five times in a row ends the run', async () => {
    const { snapshot, model, events } = await evaluateWith(deniedWhen((asked) => asked >= 2));
    expect(snapshot).toMatchObject({ status: 'failed', error: { code: 'agent_denied' } });
    expect(model.requests.map(questionIn)).toEqual(['q0', 'q1', 'q2', 'q3', 'q4', 'q5', 'q6']);
    expect(events.filter(({ type }) => type === 'eval.scored')).toHaveLength(7);
  });
});

it('a wrong answer with another 4xx stays the agent’s', async () => {
  const { snapshot, host, runId } = await evaluateWith(() => ({ status: 422, body: CANARY }));
  expect(snapshot.status).toBe('completed');
  const { body } = await readJson(host, `/v1/runs/${runId}/eval-summary`);
  expect(body).toMatchObject({ passedCount: 0, aggregateScore: 0 });
});

it('a judge that does not let the host in leaves the tasks unscored', async () => {
  const setup = await openJudgeHost({ judge: () => DENIED });
  open.push(setup);
  const { runId } = await judged(setup.host, suiteOf([rubricTask({ say: 'x', criteria: ['Yes'] })]));
  await resultOf(setup.host, runId);
  const { body } = await readJson(setup.host, `/v1/host/touchstone/runs/${runId}/results`);
  expect(body).toMatchObject({
    items: [{ result: { unscored: 'judge_denied', denial: { status: 401, code: 'invalid_api_key' } } }],
  });
  expect(setup.judge.requests).toHaveLength(1);
});

describe('on the command line', () => {
  const SUITE = {
    suiteId: 'local.test.evals.access',
    version: '1.0.0',
    modes: ['golden'],
    tasks: ['a', 'b', 'c'].map((say) => ({
      taskId: say,
      input: say,
      expected: { kind: 'golden', match: { strategy: 'exact', value: say } },
    })),
  };

  it('exit 3, the cause in the first lines, and the next comparison skips the run', async () => {
    let action: ModelAction | undefined;
    const model = await startModelServer((request, index) => action ?? echoes(request, index));
    const folder = temporaryFolder();
    open.push(model, { close: async () => folder.remove() });
    const agent = { kind: 'openai', baseUrl: model.baseUrl, model: 'small-1', apiKeyEnv: 'MY_MODEL_KEY' };
    const config = { agents: [{ agentId: 'local.test.bot', version: '1.0.0', run: agent }] };
    writeFileSync(join(folder.path, 'touchstone.config.json'), JSON.stringify(config));
    writeFileSync(join(folder.path, 'access.suite.json'), JSON.stringify(SUITE));
    const run = (...more: string[]) =>
      runCli(['run', 'access.suite.json', '--agent', 'local.test.bot', ...more], folder.path, {
        MY_MODEL_KEY: 'sk-123',
      });
    const good = await run('--json');
    expect(good).toMatchObject({ code: 0 });
    action = DENIED;
    const denied = await run();
    expect(denied.code).toBe(3);
    const said = (denied.stdout + denied.stderr).replaceAll(/\s+/g, ' ');
    expect(said).toContain('answered 401 invalid_api_key; the key is read from MY_MODEL_KEY');
    expect(said).toContain('Check the key in MY_MODEL_KEY');
    expect(denied.stdout.trimStart().split('\n').slice(0, 7).join(' ')).toContain('Check the key');
    expect(said).not.toContain(CANARY);
    expect(said).not.toMatch(/REGRESSION|0\.00|p <|chance/);
    action = undefined;
    const next = await run('--baseline', 'last', '--json');
    expect(next.code).toBe(0);
    const baseline = JSON.parse(next.stdout) as { baseline?: unknown };
    expect(JSON.stringify(baseline)).toContain((JSON.parse(good.stdout) as { runId: string }).runId);
  });

  it('names the variable in the headers of a service', async () => {
    const service = await startModelServer(() => DENIED);
    const folder = temporaryFolder();
    open.push(service, { close: async () => folder.remove() });
    const headers = { authorization: 'Bearer ${DESK_KEY}' };
    const run = { kind: 'http', url: `${service.baseUrl}/chat/completions`, headers, request: '{{ input }}' };
    const config = { agents: [{ agentId: 'local.test.desk', version: '1.0.0', run }] };
    writeFileSync(join(folder.path, 'touchstone.config.json'), JSON.stringify(config));
    writeFileSync(join(folder.path, 'access.suite.json'), JSON.stringify(SUITE));
    const { code, stdout } = await runCli(['run', 'access.suite.json'], folder.path, { DESK_KEY: 'k-123' });
    expect(code).toBe(3);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'local.test.desk answered 401 invalid_api_key; the key is read from DESK_KEY',
    );
  });
});
