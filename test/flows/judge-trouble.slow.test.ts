import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asId, type RunId } from '@touchstone/protocol';
import { createClient } from '@touchstone/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import {
  inTurn,
  type ModelAction,
  type ModelRequest,
  type ModelScript,
} from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import type { Clock } from '../../packages/touchstone/src/ports/index.js';
import { openStore } from '../../packages/touchstone/src/store/index.js';
import {
  AGENT,
  AGENT_USD,
  createRun,
  installSuite,
  JUDGE_USD,
  judgeConfig,
  judged,
  literally,
  openJudgeHost,
  questionOf,
  resultOf,
  rubricTask,
  SUITE,
  says,
  suiteOf,
  type Turn,
  verdictsFor,
  viewOf,
} from './judge-host.js';
import { deferred, payloadsOf, startModelServer, startToolServer } from './pack-host.js';
import { KEY, kill, runCli, serve, temporaryFolder } from './processes.js';
import { createSkippingClock } from './skipping-clock.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
async function start(options?: Parameters<typeof openJudgeHost>[0]) {
  const setup = await openJudgeHost(options);
  open.push(setup);
  return setup;
}
const CANARY = 'canary-of-the-judge';
const tasksOf = (count: number, criteria = ['Yes', 'No']): object[] =>
  Array.from({ length: count }, (_, index) => rubricTask({ say: `answer ${index}`, criteria }, index));
const isAbout = (request: ModelRequest, answer: string): boolean => questionOf(request).answered === answer;

describe('a judge that cannot be read', () => {
  it('is asked once more, and its second word counts', async () => {
    const { host, judge } = await start({
      judge: (request, index) => (index === 0 ? { say: 'Let me think…' } : literally(request)),
    });
    const { summary, events } = await judged(host, suiteOf(tasksOf(1)));
    expect(summary.tasks).toMatchObject([
      { score: 0.5, costUsd: expect.closeTo(AGENT_USD + 2 * JUDGE_USD, 10) },
    ]);
    expect(judge.requests.map(questionOf)[1]).toEqual(judge.requests.map(questionOf)[0]);
    expect(payloadsOf(events, 'provider.usage')).toHaveLength(3);
  });

  type Say = (good: readonly object[]) => ModelAction;
  const json = (value: unknown): ModelAction => ({ say: JSON.stringify(value) });
  it.each<[string, Say]>([
    ['prose', () => ({ say: 'Both are met.' })],
    ['prose around the verdicts', (verdicts) => ({ say: `Sure! ${JSON.stringify({ verdicts })}` })],
    ['a verdict too few', ([first]) => json({ verdicts: [first] })],
    ['one criterion judged twice', ([first]) => json({ verdicts: [first, { ...first, met: false }] })],
    ['members nobody asked for', (verdicts) => json({ verdicts, note: CANARY })],
    ['verdicts in words', (verdicts) => json({ verdicts: verdicts.map((one) => ({ ...one, met: 'yes' })) })],
    [
      'half of an answer',
      (verdicts) => ({ say: JSON.stringify({ verdicts }).slice(0, 30), finish: 'length' }),
    ],
    ['a refusal', () => ({ refusal: CANARY })],
    ['nothing at all', () => ({ say: '' })],
  ])('twice, for %s, leaves its task without a score and the others with theirs', async (_, say) => {
    const { host, judge } = await start({
      judge: (request) =>
        isAbout(request, 'answer 1') ? say(verdictsFor(request, () => true)) : literally(request),
    });
    const { summary, snapshot, events, runId } = await judged(host, suiteOf(tasksOf(3)));
    expect(snapshot.status).toBe('completed');
    expect(snapshot.touchstone.headline).toMatchObject({ unscored: 1, taskCount: 3 });
    expect(summary.tasks.map(({ score, passed }) => [score, passed])).toEqual([
      [0.5, false],
      [0, false],
      [0.5, false],
    ]);
    expect(summary.tasks[1]?.costUsd).toBeCloseTo(AGENT_USD + 2 * JUDGE_USD, 10);
    expect(judge.requests.filter((request) => isAbout(request, 'answer 1'))).toHaveLength(2);
    const [invocation] = (await viewOf(host, runId, 't-1')).invocations;
    expect(invocation).toMatchObject({ outcome: 'completed', reason: expect.stringContaining('no verdict') });
    expect(JSON.stringify([events, invocation, host.logs])).not.toContain(CANARY);
  });

  it('by one of several votes leaves no score either: votes are not made up', async () => {
    const { host, judge } = await start({
      votes: 3,
      judge: (request, index) => (index < 2 ? literally(request) : { say: 'hm' }),
    });
    const { snapshot, summary } = await judged(host, suiteOf(tasksOf(1)));
    expect(snapshot.touchstone.headline).toMatchObject({ unscored: 1 });
    expect(summary.tasks[0]?.costUsd).toBeCloseTo(AGENT_USD + 4 * JUDGE_USD, 10);
    expect(judge.requests).toHaveLength(4);
  });
});

describe('a judge that does not answer', () => {
  it.each<[string, ModelScript, number]>([
    ['an error of its own', () => ({ status: 500, body: CANARY }), 4],
    ['a refusal of the request', () => ({ status: 422, body: CANARY }), 1],
    ['an answer of another kind', () => ({ status: 200, body: `{"hello":"${CANARY}"}` }), 1],
    ['an answer without end', () => 'endless', 1],
  ])('but gives %s leaves the task without a score', async (_, script, tries) => {
    const { host, judge } = await start({ judge: script });
    const { summary, snapshot, events, runId } = await judged(host, suiteOf(tasksOf(1)));
    expect(snapshot.touchstone.headline).toMatchObject({ unscored: 1, aggregateScore: 0, passed: false });
    expect(summary.tasks[0]).toMatchObject({ score: 0, passed: false, costUsd: AGENT_USD });
    expect(judge.requests).toHaveLength(tries);
    const text = JSON.stringify([events, await viewOf(host, runId), host.logs]);
    expect(text).not.toContain(CANARY);
    await host.stop();
    expect(await resultsIn(join(host.folder, 'data/touchstone.db'), runId)).toMatchObject([
      { unscored: 'judge_unreachable' },
    ]);
  });

  it('in the time its provider has leaves the task without a score', async () => {
    const held = deferred();
    const judge: ModelScript = async () => {
      await held.promise;
      return { say: 'too late' };
    };
    const server = await startModelServer(judge);
    const provider = { kind: 'openai-compatible', baseUrl: server.baseUrl, tenants: ['acme'], timeoutMs: 50 };
    const { host } = await start({ config: { providers: { local: provider } } });
    const { snapshot } = await judged(host, suiteOf(tasksOf(2)));
    held.resolve();
    await server.close();
    expect(snapshot).toMatchObject({ status: 'completed', touchstone: { headline: { unscored: 2 } } });
  });

  it('until the run is cancelled leaves nothing of the task', async () => {
    const [arrived, held] = [deferred(), deferred()];
    const { host } = await start({
      judge: async (request) => {
        arrived.resolve();
        await held.promise;
        return literally(request);
      },
    });
    await installSuite(host, suiteOf(tasksOf(1)));
    const runId = (await createRun(host)).body.runId as string;
    await arrived.promise;
    await host.fetch(`/v1/runs/${runId}/cancel`, { method: 'POST', body: {} });
    const { events, snapshot } = await resultOf(host, runId);
    held.resolve();
    expect(snapshot.status).toBe('cancelled');
    expect(events.map(({ type }) => type)).toEqual(['run.started', 'eval.started', 'run.cancelled']);
  });
});

const HOUR = 3_600;
/** A wait of an hour or so is over at once. */
const skippingClock = (): Clock => createSkippingClock(HOUR * 900);

it('a judge that is busy is asked when it said; the agent is not slower for it', async () => {
  const later = { status: 429, headers: { 'retry-after': String(HOUR) } };
  const { host, judge } = await start({
    judge: (request, index) => (index < 3 ? later : literally(request)),
    host: { clock: skippingClock() },
  });
  const { summary, events } = await judged(host, suiteOf(tasksOf(2)), { concurrency: 1 });
  expect(summary.tasks.map(({ score }) => score)).toEqual([0.5, 0.5]);
  expect(judge.requests).toHaveLength(5);
  expect(payloadsOf(events, 'provider.usage')).toHaveLength(4);
  for (const { latencyMs } of summary.tasks) expect(latencyMs).toBeLessThan(HOUR * 1_000);
});

it('a run whose money goes to the judge stops at its ceiling like any other', async () => {
  const free = ({ input }: Turn) => ({ output: (input as { say: string }).say });
  const { host, judge, agent } = await start({ actor: free });
  const configurable = { concurrency: 1, budget: { maxCostUsd: 0.05 } };
  const { events, snapshot } = await judged(host, suiteOf(tasksOf(5)), configurable);
  expect(events.at(-1)).toMatchObject({
    type: 'run.failed',
    payload: { error: { code: 'budget_exhausted' } },
  });
  expect(judge.requests).toHaveLength(2);
  expect(agent.requests).toHaveLength(2);
  const { metrics } = snapshot as unknown as { metrics: { openwopCost: { usd: number } } };
  expect(metrics.openwopCost.usd).toBeCloseTo(2 * JUDGE_USD, 10);
});

const owner = { tenant: 'acme', workspace: 'main' };
async function resultsIn(file: string, runId: string) {
  const store = await openStore({ file, clock: systemClock });
  const rows = await store.log.results(owner, asId<RunId>(runId), 0, 1_000);
  await store.close();
  return rows.map(({ result }) => result);
}
async function sealedIn(file: string, runId: RunId): Promise<ReadonlySet<number>> {
  const store = await openStore({ file, clock: systemClock });
  const pending = await store.log.pending(owner, runId);
  const appended = await store.log.appended(owner, runId);
  await store.close();
  return new Set([...appended, ...pending.map(({ ordinal }) => ordinal)]);
}

describe('in a process of its own', () => {
  // Goal: `kill -9` in a judged run costs at most the judgements in flight. Method: the judge answers ten questions and
  // holds back as many as may be open at once; then the host is killed and started again.
  it('a killed run goes on, and what is sealed is neither answered nor judged again', async (context) => {
    const [TASKS, CONCURRENCY, ANSWERED] = [30, 4, 10];
    const [full, killed] = [deferred(), deferred()];
    const judge = await startModelServer(async (request, index) => {
      if (index >= ANSWERED && index < ANSWERED + CONCURRENCY) {
        if (index === ANSWERED + CONCURRENCY - 1) full.resolve();
        await killed.promise;
      }
      return literally(request);
    });
    const agent = await startToolServer((turn) => says(turn as Turn));
    const folder = temporaryFolder();
    context.onTestFinished(async () => {
      await judge.close();
      await agent.close();
      folder.remove();
    });
    const config = {
      ...judgeConfig(judge, agent),
      keys: [{ key: KEY, tenant: 'acme', roles: ['admin'] }],
      suites: ['.'],
    };
    writeFileSync(join(folder.path, 'touchstone.config.json'), JSON.stringify(config));
    writeFileSync(join(folder.path, 'judged.suite.json'), JSON.stringify(suiteOf(tasksOf(TASKS))));

    const first = await serve([], folder.path);
    context.onTestFinished(async () => void (await kill(first)));
    const { runId } = await createClient({ baseUrl: first.url, key: KEY }).runs.create({
      mode: 'eval',
      evalSuiteRef: SUITE,
      agentId: AGENT,
      configurable: { concurrency: CONCURRENCY },
    });
    await full.promise;
    await kill(first);
    killed.resolve();
    const before = { judge: judge.requests.length, agent: agent.requests.length };
    const sealed = await sealedIn(join(folder.path, '.touchstone/touchstone.db'), asId<RunId>(runId));
    expect(sealed.size).toBeGreaterThan(0);
    expect(sealed.size).toBeLessThanOrEqual(ANSWERED);

    const second = await serve([], folder.path);
    context.onTestFinished(async () => void (await kill(second)));
    const summary = await createClient({ baseUrl: second.url, key: KEY }).waitForScorecard(
      asId<RunId>(runId),
    );
    expect(summary.tasks.map(({ score }) => score)).toEqual(Array(TASKS).fill(0.5));
    const left = Array.from({ length: TASKS }, (_, ordinal) => ordinal).filter(
      (ordinal) => !sealed.has(ordinal),
    );
    const expected = left.map((ordinal) => `answer ${ordinal}`).sort();
    const judgedAgain = judge.requests
      .slice(before.judge)
      .map((request) => questionOf(request).answered as string);
    const askedAgain = agent.requests
      .slice(before.agent)
      .map(({ body }) => (body as Turn).input as { say: string });
    expect(judgedAgain.sort()).toEqual(expected);
    expect(askedAgain.map(({ say }) => say).sort()).toEqual(expected);
  });

  it('a run that could not be judged ends with code 3, whatever its bar', async (context) => {
    const judge = await startModelServer(inTurn({ say: 'I would rather not say.' }));
    const agent = await startToolServer((turn) => says(turn as Turn));
    const folder = temporaryFolder();
    context.onTestFinished(async () => {
      await judge.close();
      await agent.close();
      folder.remove();
    });
    writeFileSync(join(folder.path, 'touchstone.config.json'), JSON.stringify(judgeConfig(judge, agent)));
    const suite = suiteOf(tasksOf(2), { thresholds: { passScore: 0 } });
    writeFileSync(join(folder.path, 'judged.suite.json'), JSON.stringify(suite));
    const { code, stdout } = await runCli(
      ['run', 'judged.suite.json', '--agent', AGENT, '--json'],
      folder.path,
    );
    expect({ code, out: JSON.parse(stdout) }).toMatchObject({
      code: 3,
      out: { status: 'completed', unscored: ['t-0', 't-1'], summary: { passed: true } },
    });
  });
});
