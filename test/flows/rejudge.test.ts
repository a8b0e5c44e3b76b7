import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asId, type RunId } from '@touchstone/protocol';
import { createClient } from '@touchstone/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelScript } from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import { openStoreBeside } from '../setup/flow-store.js';
import {
  AGENT,
  AGENT_USD,
  createRun,
  installSuite,
  JUDGE_USD,
  judgeConfig,
  judged,
  literally,
  questionOf,
  resultOf,
  SUITE,
  says,
  suiteOf,
  type Turn,
  viewOf,
} from './judge-host.js';
import {
  deferred,
  type Evaluated,
  type Event,
  eventsOf,
  payloadsOf,
  plain,
  startModelServer,
  startToolServer,
} from './pack-host.js';
import { KEY, kill, OTHER_KEY, serve, temporaryFolder } from './processes.js';
import { again, bothJudges, closeAll, rejudged, start, TOOL, task } from './rejudge-host.js';

afterEach(closeAll);

const inBracket = (events: readonly Event[]): readonly Event[] =>
  events.filter(({ type }) => type.startsWith('agent.'));
const usageOf = ({ events }: Evaluated): readonly string[] =>
  payloadsOf(events, 'provider.usage').map(({ provider, model }) => `${provider}/${model}`);

describe('judging again', () => {
  const TASKS = [
    task({}, 0),
    task({ calls: [TOOL] }, 1),
    task({ calls: ['local:not.mine'] }, 2, [
      'Yes',
      '[check:tool-not-called {"tool":"local:not.mine"}] Keeps off.',
    ]),
    task({ fail: true }, 3),
    task({ refuse: true }, 4),
  ];

  it('asks the other judge and nobody else, and keeps what the agent did and cost', async () => {
    const { host, judge, agent, tool } = await start();
    const first = await judged(host, suiteOf(TASKS), { concurrency: 1 });
    const calls = { agent: agent.requests.length, tool: tool.requests.length, judge: judge.requests.length };
    expect(calls).toMatchObject({ tool: 1, judge: 3 });

    const second = await rejudged(host, first.runId, { judge: 'local/judge-2' });
    expect(agent.requests).toHaveLength(calls.agent);
    expect(tool.requests).toHaveLength(calls.tool);
    expect(judge.requests.slice(calls.judge).map(({ body }) => body.model)).toEqual(Array(3).fill('judge-2'));
    expect(judge.requests.slice(calls.judge).map(questionOf)).toEqual(
      judge.requests.slice(0, calls.judge).map(questionOf),
    );

    expect(first.summary.tasks.map(({ score }) => score)).toEqual([2 / 3, 2 / 3, 0.5, 0, 0]);
    expect(second.summary.tasks.map(({ score }) => score)).toEqual([1 / 3, 1 / 3, 0, 0, 0]);
    expect(plain(inBracket(second.events))).toBe(plain(inBracket(first.events)));
    const ids = new Set(first.events.map(({ eventId }) => eventId));
    expect(second.events.filter(({ eventId }) => ids.has(eventId))).toEqual([]);
    expect(usageOf(second)).toEqual(usageOf(first).map((model) => model.replace('judge-1', 'judge-2')));

    const dear = AGENT_USD + 10 * JUDGE_USD;
    expect(second.summary.tasks[0]?.costUsd).toBeCloseTo(dear, 10);
    expect(second.summary.tasks[0]?.latencyMs).toBe(first.summary.tasks[0]?.latencyMs);
    expect(payloadsOf(second.events, 'eval.scored')[0]?.costUsd).toBeCloseTo(dear, 10);
  });

  it('is a run of its own that says whose answers it judged, and by whom; the first one stays as it was', async () => {
    const { host } = await start();
    const first = await judged(host, suiteOf(TASKS));
    const second = await rejudged(host, first.runId, { judge: 'local/judge-2', votes: 3 });
    expect(second.snapshot.touchstone).toMatchObject({
      rejudgeOf: first.runId,
      judge: { model: 'judge-2', votes: 3 },
      suite: first.snapshot.touchstone.suite,
      agent: first.snapshot.touchstone.agent,
    });
    const digestOf = ({ snapshot }: Evaluated) => (snapshot.touchstone.judge as { digest: string }).digest;
    expect(digestOf(second)).not.toBe(digestOf(first));
    expect(plain((await resultOf(host, first.runId)).events)).toBe(plain(first.events));

    const third = await rejudged(host, second.runId, { judge: 'local/judge-1', votes: 1 });
    expect(plain(third.events)).toBe(plain(first.events));
  });

  it('by the same judge comes to the same log', async () => {
    const { host } = await start({ votes: 3 });
    const first = await judged(host, suiteOf(TASKS), { repeats: 2 });
    expect(plain((await rejudged(host, first.runId)).events)).toBe(plain(first.events));
  });

  it('finds in the answers of an adversarial run what was found in them the first time', async () => {
    const { host } = await start();
    const tasks = [
      task({ calls: ['local:not.mine'] }, 0),
      task({ say: 'Write to jane.doe@example.com' }, 1),
      task({ refuse: true }, 2, ['Yes', '[check:refused] Declines.']),
      task({ fail: true }, 3),
    ];
    const first = await judged(host, suiteOf(tasks, { modes: ['adversarial'] }));
    expect(
      payloadsOf(first.events, 'eval.scored').map(({ safetyFindingCount = 0 }) => safetyFindingCount),
    ).toEqual([1, 1, 0, 0]);
    expect(plain((await rejudged(host, first.runId)).events)).toBe(plain(first.events));
  });

  it('shows the new judge’s words in the task, and no longer the old one’s', async () => {
    const saying = (model: unknown): string => `reason-of-${model}`;
    const { host } = await start({
      judge: ({ body }) => {
        const verdicts = [{ criterion: 1, reason: saying(body.model), met: true }];
        return { say: JSON.stringify({ verdicts }) };
      },
    });
    const first = await judged(host, suiteOf([task({}, 0, ['Yes'])]));
    const second = await rejudged(host, first.runId, { judge: 'local/judge-2' });
    expect(JSON.stringify(await viewOf(host, first.runId))).toContain(saying('judge-1'));
    const view = JSON.stringify(await viewOf(host, second.runId));
    expect(view).toContain(saying('judge-2'));
    expect(view).not.toContain(saying('judge-1'));
  });
});

it('an agent that was not reached stays unscored, and the judge is not asked about it', async () => {
  const { host, judge, agent } = await start();
  await agent.close();
  const first = await judged(host, suiteOf([task({}, 0)]));
  const second = await rejudged(host, first.runId);
  for (const { snapshot } of [first, second])
    expect(snapshot.touchstone.headline).toMatchObject({ unscored: 1, taskCount: 1 });
  expect(judge.requests).toEqual([]);
});

describe('what is not judged again', () => {
  it('a run that is not there, or another tenant’s', async () => {
    const { host } = await start();
    const { runId } = await judged(host, suiteOf([task({}, 0)]));
    const absent = await again(host, 'run-absent');
    const foreign = await again(host, runId, {}, OTHER_KEY);
    expect([absent.status, foreign.status]).toEqual([404, 404]);
    expect(JSON.stringify(foreign.body).replaceAll(runId, 'run-absent')).toBe(JSON.stringify(absent.body));
  });

  it('a run that has not come to its end', async () => {
    const [arrived, held] = [deferred(), deferred()];
    const { host } = await start({
      judge: async (request) => {
        arrived.resolve();
        await held.promise;
        return literally(request);
      },
    });
    await installSuite(host, suiteOf([task({}, 0)]));
    const runId = (await createRun(host)).body.runId as string;
    await arrived.promise;
    expect(await again(host, runId)).toMatchObject({ status: 400 });
    held.resolve();
    await resultOf(host, runId);
    expect(await again(host, runId)).toMatchObject({ status: 201 });
  });

  it('a run in which nobody judged, and a run by a judge nobody has', async () => {
    const { host, judge } = await start();
    const decided = await judged(host, suiteOf([task({}, 0, ['[check:json] Is JSON.'])]));
    expect(await again(host, decided.runId)).toMatchObject({ status: 400 });
    const suite = suiteOf([task({}, 0)], { version: '2.0.0' });
    const { runId } = await judged(host, suite);
    expect(await again(host, runId, { judge: 'nobody/judge-1' })).toMatchObject({ status: 400 });
    expect(await again(host, runId, { votes: 0 })).toMatchObject({ status: 400 });
    expect(judge.requests).toHaveLength(1);
  });
});

const owner = { tenant: 'acme', workspace: 'main' };
async function sealedIn(folder: string, runId: RunId): Promise<ReadonlySet<number>> {
  const store = await openStoreBeside(folder, '.touchstone');
  const pending = await store.log.pending(owner, runId);
  const appended = await store.log.appended(owner, runId);
  await store.close();
  return new Set([...appended, ...pending.map(({ ordinal }) => ordinal)]);
}

// Goal: `kill -9` in the middle of a second judgement costs at most the questions in flight, and the agent is left in
// peace throughout. Method: a first run to its end; then the judge answers some and holds back as many as may be open.
it('a killed second judgement goes on, asks nothing it has been told and no agent at all', async (context) => {
  const [TASKS, CONCURRENCY, ANSWERED] = [24, 4, 8];
  const [full, killed] = [deferred(), deferred()];
  const script: ModelScript = async (request, index) => {
    const since = index - TASKS;
    if (since >= ANSWERED && since < ANSWERED + CONCURRENCY) {
      if (since === ANSWERED + CONCURRENCY - 1) full.resolve();
      await killed.promise;
    }
    return bothJudges(request);
  };
  const judge = await startModelServer(script);
  const agent = await startToolServer((turn) => says(turn as Turn));
  const folder = temporaryFolder();
  context.onTestFinished(async () => {
    await judge.close();
    await agent.close();
    folder.remove();
  });
  const tasks = Array.from({ length: TASKS }, (_, index) => task({}, index));
  const config = {
    ...judgeConfig(judge, agent),
    keys: [{ key: KEY, tenant: 'acme', roles: ['admin'] }],
    suites: ['.'],
  };
  writeFileSync(join(folder.path, 'touchstone.config.json'), JSON.stringify(config));
  writeFileSync(join(folder.path, 'judged.suite.json'), JSON.stringify(suiteOf(tasks)));
  const headers = { authorization: `Bearer ${KEY}` };

  const first = await serve([], folder.path);
  context.onTestFinished(async () => void (await kill(first)));
  const client = createClient({ baseUrl: first.url, key: KEY });
  const configurable = { concurrency: CONCURRENCY };
  const source = await client.runs.create({
    mode: 'eval',
    evalSuiteRef: SUITE,
    agentId: AGENT,
    configurable,
  });
  await client.waitForScorecard(asId<RunId>(source.runId));
  const asked = agent.requests.length;
  const response = await fetch(`${first.url}/v1/host/touchstone/runs/${source.runId}:rejudge`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ judge: 'local/judge-2' }),
  });
  const { runId } = (await response.json()) as { runId: string };
  await full.promise;
  await kill(first);
  killed.resolve();
  const before = judge.requests.length;
  const sealed = await sealedIn(folder.path, asId<RunId>(runId));
  expect(sealed.size).toBeGreaterThan(0);
  expect(sealed.size).toBeLessThanOrEqual(ANSWERED);

  const second = await serve([], folder.path);
  context.onTestFinished(async () => void (await kill(second)));
  const restarted = { fetch: (path: string) => fetch(second.url + path, { headers }) };
  const summary = await createClient({ baseUrl: second.url, key: KEY }).waitForScorecard(asId<RunId>(runId));
  expect(summary.tasks.map(({ score }) => score)).toEqual(Array(TASKS).fill(1 / 3));
  const left = Array.from({ length: TASKS }, (_, ordinal) => ordinal).filter(
    (ordinal) => !sealed.has(ordinal),
  );
  const judgedAgain = judge.requests.slice(before).map((request) => questionOf(request).answered as string);
  expect(judgedAgain.sort()).toEqual(left.map((ordinal) => `answer ${ordinal}`).sort());
  expect(agent.requests).toHaveLength(asked);
  const [old, fresh] = [await eventsOf(restarted, source.runId), await eventsOf(restarted, runId)];
  expect(plain(inBracket(fresh))).toBe(plain(inBracket(old)));
});
