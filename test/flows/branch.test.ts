import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSource } from './fork-sources.js';
import {
  createEval,
  type Event,
  echoes,
  eventsOf,
  install,
  modelConfig,
  ofType,
  payloadsOf,
  readJson,
  type Summary,
  startModelServer,
} from './pack-host.js';
import {
  begin,
  diffOf,
  finish,
  fork,
  golden,
  goldens,
  installSuite,
  openRunHost,
  pointersOf,
  type RunHost,
  untilDone,
  untilEvent,
} from './run-host.js';
import { openWholeHost } from './whole-host.js';

let setup: RunHost;
beforeAll(async () => {
  setup = await openRunHost();
});
afterAll(() => setup.close());

const read = (path: string) => readJson(setup.host, path);
const summaryOf = async (runId: string): Promise<Summary> =>
  (await read(`/v1/runs/${runId}/eval-summary`)).body as unknown as Summary;
const scoresOf = async (runId: string) =>
  (await summaryOf(runId)).tasks.map(({ taskId, score }) => [taskId, score]);

describe('a branch', () => {
  const SUITE = 'local.test.evals.branched';
  const TASKS = 4;
  let source: string;
  beforeAll(async () => {
    const tasks = goldens(TASKS, (index) => ({ brokenIn: index === 2 ? ['1.0.0'] : [] }));
    await installSuite(setup.host, { suiteId: SUITE, version: '1.0.0', modes: ['golden'], tasks });
    const asking = { configurable: { concurrency: 2, mine: { kept: true } }, tags: ['old'] };
    source = await finish(setup.host, SUITE, asking);
  });
  const blockOf = (events: readonly Event[], task: number): number =>
    events.findIndex(({ type, nodeId }) => type === 'agent.invocation.started' && nodeId === `t-${task}`);
  const branch = (fromSeq: number, overlay?: object) =>
    fork(setup.host, source, { mode: 'branch', fromSeq, ...(overlay && { runOptionsOverlay: overlay }) });

  it('keeps what was, runs the rest anew with what the overlay changes, and leaves its source alone', async () => {
    const before = await eventsOf(setup.host, source);
    const at = blockOf(before, 2);
    const asked = setup.asked.length;
    const overlay = { configurable: { concurrency: 1 }, tags: ['new'], metadata: { why: 'slower' } };
    const created = await branch(at, overlay);
    expect(created).toMatchObject({ status: 201, body: { mode: 'branch', fromSeq: at } });
    const runId = created.body.runId as string;
    const events = await eventsOf(setup.host, runId);
    expect(setup.asked.slice(asked).map(({ say }) => say)).toEqual(['answer of t-2', 'answer of t-3']);
    const kept = JSON.stringify(events.slice(0, at)).replaceAll(runId, source);
    expect(kept).toBe(JSON.stringify(before.slice(0, at)));
    expect(await diffOf(setup.host, source, runId)).toMatchObject({ divergedAtSeq: null, eventDiffs: [] });
    const { body } = await read(`/v1/runs/${runId}`);
    expect(body).toMatchObject({
      status: 'completed',
      tags: ['new'],
      metadata: { why: 'slower' },
      configurable: { concurrency: 1, mine: { kept: true } },
      touchstone: { concurrency: 1, fork: { source, mode: 'branch', fromSeq: at } },
    });
    expect(JSON.stringify(await eventsOf(setup.host, source))).toBe(JSON.stringify(before));
  });

  it('begins where a block begins: anywhere else it says where that is, and there it begins', async () => {
    const before = await eventsOf(setup.host, source);
    const starts = [0, ...Array.from({ length: TASKS }, (_, task) => blockOf(before, task))];
    starts.push(before.findIndex(({ type }) => type === 'eval.completed'));
    for (const [fromSeq] of before.entries()) {
      const asked = setup.asked.length;
      const blockStart = starts.findLast((start) => start <= fromSeq) as number;
      const first = await branch(fromSeq);
      if (fromSeq !== blockStart)
        expect(first).toMatchObject({
          status: 422,
          body: { error: 'fork_point_invalid', details: { field: 'fromSeq', blockStart } },
        });
      if (fromSeq !== blockStart) continue;
      expect(first.status).toBe(201);
      await eventsOf(setup.host, first.body.runId as string);
      const left = payloadsOf(before.slice(blockStart), 'eval.scored').length;
      expect(setup.asked.length - asked).toBe(left);
    }
  });

  it('from the very beginning may change what is run, and from later on may not', async () => {
    const change = { configurable: { repeats: 2, onlyTasks: ['t-0', 't-3'] } };
    const anew = await branch(0, change);
    expect(anew.status).toBe(201);
    const events = await eventsOf(setup.host, anew.body.runId as string);
    expect(payloadsOf(events, 'eval.started')).toMatchObject([{ taskCount: 2 }]);
    expect(ofType(events, 'agent.invocation.started')).toHaveLength(4);
    const at = blockOf(await eventsOf(setup.host, source), 1);
    const late = await branch(at, change);
    expect(late.status).toBe(400);
    expect(pointersOf(late.body)).toEqual([
      '/runOptionsOverlay/configurable/repeats',
      '/runOptionsOverlay/configurable/onlyTasks',
    ]);
  });

  it('of a cancelled run goes on where that was stopped', async () => {
    const cancelled = await makeSource(setup, 'a cancelled run');
    const before = await eventsOf(setup.host, cancelled);
    const asked = setup.asked.length;
    const created = await fork(setup.host, cancelled, { mode: 'branch', fromSeq: before.length - 1 });
    expect(created.status).toBe(201);
    const events = await eventsOf(setup.host, created.body.runId as string);
    expect(events.at(-1)?.type).toBe('run.completed');
    expect(setup.asked.length - asked).toBe(1);
    expect(await summaryOf(created.body.runId as string)).toMatchObject({
      taskCount: 4,
      passedCount: 4,
    });
  });

  it('of a paused run leaves it before the pause or after its end, not in between', async () => {
    const paused = await makeSource(setup, 'a pause with a gap');
    const events = await eventsOf(setup.host, paused);
    const at = events.findIndex(({ type }) => type === 'run.paused');
    expect(events[at + 1]?.type).toBe('run.resumed');
    const between = await fork(setup.host, paused, { mode: 'branch', fromSeq: at + 1 });
    expect(between).toMatchObject({ status: 422, body: { details: { blockStart: at } } });
    for (const fromSeq of [at, at + 2]) {
      const asked = setup.asked.length;
      const created = await fork(setup.host, paused, { mode: 'branch', fromSeq });
      expect(created.status).toBe(201);
      const branched = await eventsOf(setup.host, created.body.runId as string);
      expect(branched.at(-1)?.type).toBe('run.completed');
      expect(setup.asked.length - asked).toBe(1);
      expect(await scoresOf(created.body.runId as string)).toEqual(await scoresOf(paused));
    }
  });

  it.each([
    ['an agent alone', 1],
    ['a workflow', 0],
  ] as const)('of %s does it once more', async (name, calls) => {
    const plain = await makeSource(setup, name);
    const asked = setup.asked.length;
    const created = await fork(setup.host, plain, { mode: 'branch', fromSeq: 0 });
    expect(created.status).toBe(201);
    const runId = created.body.runId as string;
    await eventsOf(setup.host, runId);
    expect(setup.asked.length - asked).toBe(calls);
    expect(await diffOf(setup.host, plain, runId)).toMatchObject({ divergedAtSeq: null, stateDiff: {} });
  });

  it.each([
    'a judged rubric',
    'a regression',
    'a budget that ran out',
    'an agent alone',
    'an agent that fails',
    'a workflow that fails',
  ])('of %s comes to an end from wherever it may begin, and can be replayed', async (name) => {
    const from = await makeSource(setup, name);
    const begun: number[] = [];
    for (const [fromSeq] of (await eventsOf(setup.host, from)).entries()) {
      const created = await fork(setup.host, from, { mode: 'branch', fromSeq });
      if (created.status === 422) continue;
      begun.push(fromSeq);
      const runId = created.body.runId as string;
      const { type } = (await eventsOf(setup.host, runId)).at(-1) as Event;
      expect(['run.completed', 'run.failed']).toContain(type);
      const replay = (await fork(setup.host, runId, { mode: 'replay' })).body.runId as string;
      await eventsOf(setup.host, replay);
      expect(await diffOf(setup.host, runId, replay)).toMatchObject({ divergedAtSeq: null, stateDiff: {} });
    }
    expect(begun.length).toBeGreaterThanOrEqual(3);
  });

  it('of a running run begins with what is known of it', async () => {
    const gate = setup.hold();
    const tasks = [golden('t-0'), golden('t-1', { hold: true })];
    const suiteId = 'local.test.evals.running';
    await installSuite(setup.host, { suiteId, version: '1.0.0', modes: ['golden'], tasks });
    const runId = await begin(setup.host, suiteId, { configurable: { concurrency: 1 } });
    await untilDone(setup.host, runId, 1);
    await untilEvent(setup.host, runId, 'eval.scored');
    const conflict = await fork(setup.host, runId, { mode: 'replay' });
    expect(conflict).toMatchObject({
      status: 409,
      body: { error: 'run_state_conflict', details: { runStatus: 'running' } },
    });
    const created = await fork(setup.host, runId, { mode: 'branch', fromSeq: 2 });
    expect(created.status).toBe(201);
    gate.resolve();
    await eventsOf(setup.host, runId);
    await eventsOf(setup.host, created.body.runId as string);
    expect(await diffOf(setup.host, runId, created.body.runId as string)).toMatchObject({ eventDiffs: [] });
  });

  it('of a run that judged again is refused: there is no agent to go on with', async () => {
    const judged = await makeSource(setup, 'a second judgement');
    const answer = await fork(setup.host, judged, { mode: 'branch', fromSeq: 0 });
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(pointersOf(answer.body)).toEqual(['/mode']);
  });
});

it('a branch asks the model that the overlay names, from its point on', async (context) => {
  const server = await startModelServer(echoes);
  const host = await openWholeHost(modelConfig(server));
  context.onTestFinished(async () => {
    await host.close();
    await server.close();
  });
  await install(host, { tasks: ['a', 'b', 'c'].map((input) => ({ input, expect: input })) });
  const source = (await createEval(host, { configurable: { concurrency: 1 } })).body.runId as string;
  const before = await eventsOf(host, source);
  const at = before.findIndex(({ type, nodeId }) => type === 'agent.invocation.started' && nodeId === 't-1');
  const runOptionsOverlay = { configurable: { model: 'local/large-2' } };
  const created = await fork(host, source, { mode: 'branch', fromSeq: at, runOptionsOverlay });
  const runId = created.body.runId as string;
  const events = await eventsOf(host, runId);
  expect(server.requests.map(({ body }) => body.model)).toEqual([
    'small-1',
    'small-1',
    'small-1',
    'large-2',
    'large-2',
  ]);
  expect(payloadsOf(events, 'agent.invocation.started').map(({ resolvedModel }) => resolvedModel)).toEqual([
    'small-1',
    'large-2',
    'large-2',
  ]);
  expect((await readJson(host, `/v1/runs/${runId}`)).body.touchstone).toMatchObject({
    model: { provider: 'local', model: 'large-2' },
  });
  const strange = { configurable: { model: 'nobody/large-2' } };
  const refused = await fork(host, source, { mode: 'branch', fromSeq: at, runOptionsOverlay: strange });
  expect(refused.status).toBe(400);
  expect(pointersOf(refused.body)).toEqual(['/runOptionsOverlay/configurable/model']);
});
