import { check } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSource } from './fork-sources.js';
import { eventsOf, readJson } from './pack-host.js';
import { KEY, OTHER_KEY } from './processes.js';
import {
  AGENT,
  askFor,
  begin,
  command,
  finish,
  fork,
  golden,
  goldens,
  installSuite,
  openRunHost,
  pointersOf,
  READER_KEY,
  type RunHost,
  rubric,
  untilEvent,
} from './run-host.js';

// Goal: a run is held only against a run it can be compared with, whether that is asked for when it is made or of its
// report. Method: every run that could be mistaken for a baseline, by name; each asked for in both ways.
const SUITE = 'local.test.evals.measured';
const JUDGED = 'local.test.evals.opinions';
const POINTER = '/configurable/baselineRunId';

let setup: RunHost;
let good: string;
const wrong: { [name: string]: string } = {};
let release: () => void;

beforeAll(async () => {
  setup = await openRunHost({ regression: { tolerance: 0.125 } });
  const { host } = setup;
  const measured = { suiteId: SUITE, version: '1.0.0', modes: ['golden', 'regression'], tasks: goldens(6) };
  await installSuite(host, measured);
  good = await finish(host, SUITE);
  wrong['a failed run'] = await finish(host, SUITE, {
    configurable: { concurrency: 1, budget: { maxCostUsd: 0.3 } },
  });
  wrong['a cancelled run'] = await makeSource(setup, 'a cancelled run');
  wrong['no evaluation'] = await makeSource(setup, 'an agent alone');
  wrong['other repeats'] = await finish(host, SUITE, { configurable: { repeats: 2 } });
  wrong['other tasks'] = await finish(host, SUITE, { configurable: { onlyTasks: ['t-0', 't-1'] } });
  await installSuite(host, { ...measured, version: '0.9.0', tasks: goldens(5) });
  wrong['another suite'] = await finish(host, `${SUITE}@0.9.0`);
  await installSuite(host, measured, OTHER_KEY);
  wrong['a stranger’s run'] = await finish(host, SUITE, { key: OTHER_KEY });
  const gate = setup.hold();
  release = gate.resolve;
  const held = { suiteId: `${SUITE}-held`, version: '1.0.0', modes: ['golden'] };
  await installSuite(host, { ...held, tasks: [golden('t-0'), golden('t-1', { hold: true })] });
  wrong['a running run'] = await begin(host, held.suiteId, { configurable: { concurrency: 1 } });
  await untilEvent(host, wrong['a running run'], 'eval.scored');
});
afterAll(async () => {
  release();
  await setup.close();
});

const newest = async () =>
  ((await readJson(setup.host, '/v1/host/touchstone/runs?limit=1')).body.items as { runId: string }[])[0]
    ?.runId;
const reportAgainst = (runId: string, against: string, more = '') =>
  readJson(setup.host, `/v1/host/touchstone/runs/${runId}/report?against=${against}${more}`);

describe('a run with a baseline is refused when that is', () => {
  it.each([
    'a failed run',
    'a cancelled run',
    'a running run',
    'no evaluation',
    'other repeats',
    'other tasks',
    'another suite',
    'a stranger’s run',
  ])('%s, at create and in the report', async (name) => {
    const baselineRunId = wrong[name] as string;
    const [before, calls] = [await newest(), setup.calls()];
    const answer = await askFor(setup.host, SUITE, { configurable: { baselineRunId } });
    expect({ status: answer.status, error: answer.body.error }).toEqual({
      status: 400,
      error: 'validation_error',
    });
    expect(pointersOf(answer.body)).toEqual([POINTER]);
    expect(check('error-envelope', answer.body)).toEqual([]);
    expect([await newest(), setup.calls()]).toEqual([before, calls]);

    const reported = await reportAgainst(good, baselineRunId);
    const isForeign = name === 'a stranger’s run';
    expect(reported.body.error).toBe(isForeign ? 'not_found' : 'validation_error');
    if (!isForeign) expect(pointersOf(reported.body)).toEqual(['/against']);
  });

  it('nobody’s run, in the words a stranger’s is refused with', async () => {
    const ask = (baselineRunId: string) => askFor(setup.host, SUITE, { configurable: { baselineRunId } });
    const [absent, foreign] = [await ask('run-absent'), await ask(wrong['a stranger’s run'] as string)];
    expect(foreign).toEqual(absent);
    expect(await reportAgainst(good, wrong['a stranger’s run'] as string)).toEqual(
      await reportAgainst(good, 'run-absent'),
    );
  });

  it.each<[string, object, string]>([
    ['missing where the mode asks for one', { evalModes: ['regression'] }, POINTER],
    ['no name', { baselineRunId: 7 }, POINTER],
    ['an empty name', { baselineRunId: '' }, POINTER],
  ])('%s', async (_, configurable, pointer) => {
    const answer = await askFor(setup.host, SUITE, { configurable });
    expect({ status: answer.status, pointers: pointersOf(answer.body) }).toEqual({
      status: 400,
      pointers: [pointer],
    });
  });

  it.each<[unknown, string]>([
    [{ tolerance: -0.1 }, '/configurable/regression/tolerance'],
    [{ tolerance: 1.1 }, '/configurable/regression/tolerance'],
    [{ tolerance: '0.1' }, '/configurable/regression/tolerance'],
    [{}, '/configurable/regression/tolerance'],
    [{ tolerance: 0.1, other: 1 }, '/configurable/regression'],
    [0.1, '/configurable/regression'],
  ])('right and the tolerance is %j', async (regression, pointer) => {
    const answer = await askFor(setup.host, SUITE, { configurable: { baselineRunId: good, regression } });
    expect({ status: answer.status, pointers: pointersOf(answer.body) }).toEqual({
      status: 400,
      pointers: [pointer],
    });
  });

  it('wrong in several ways, with all of them', async () => {
    const configurable = {
      baselineRunId: wrong['another suite'],
      repeats: 3,
      allowJudgeMismatch: 'yes',
      regression: { tolerance: 2 },
    };
    const answer = await askFor(setup.host, SUITE, { configurable });
    expect(pointersOf(answer.body)).toEqual([
      POINTER,
      POINTER,
      '/configurable/allowJudgeMismatch',
      '/configurable/regression/tolerance',
    ]);
  });
});

it('a suite whose only mode is regression asks for a baseline', async () => {
  const suiteId = `${SUITE}-sole`;
  await installSuite(setup.host, { suiteId, version: '1.0.0', modes: ['regression'], tasks: goldens(2) });
  const alone = await askFor(setup.host, suiteId);
  expect({ status: alone.status, pointers: pointersOf(alone.body) }).toEqual({
    status: 400,
    pointers: [POINTER],
  });
});

it('a replay of a run, and a part that is the same part, can be a baseline', async () => {
  const replay = (await fork(setup.host, good, { mode: 'replay' })).body.runId as string;
  await eventsOf(setup.host, replay);
  const runId = await finish(setup.host, SUITE, { configurable: { baselineRunId: replay } });
  expect((await reportAgainst(runId, replay)).status).toBe(200);
  const onlyTasks = ['t-1', 't-0'];
  const configurable = { onlyTasks, baselineRunId: wrong['other tasks'] };
  expect((await askFor(setup.host, SUITE, { configurable })).status).toBe(201);
});

it('the configured tolerance holds where the caller names none', async () => {
  const toleranceOf = async (configurable: object) => {
    const runId = await finish(setup.host, SUITE, { configurable: { baselineRunId: good, ...configurable } });
    const { body } = await readJson(setup.host, `/v1/host/touchstone/runs/${runId}/report`);
    return (body.regression as { tolerance: number }).tolerance;
  };
  expect(await toleranceOf({})).toBe(0.125);
  expect(await toleranceOf({ regression: { tolerance: 0 } })).toBe(0);
});

describe('a baseline by another judge', () => {
  let first: string;
  let second: string;
  beforeAll(async () => {
    const tasks = [...goldens(3), rubric('opinion', 'Yes, it is kind', 'No, it is not')];
    const modes = ['golden', 'rubric', 'regression'];
    await installSuite(setup.host, { suiteId: JUDGED, version: '1.0.0', modes, tasks });
    first = await finish(setup.host, JUDGED);
    const path = `/v1/host/touchstone/runs/${first}:rejudge`;
    second = (await command(setup.host, path, { judge: 'local/judge-2' })).body.runId as string;
    await eventsOf(setup.host, second);
  });

  it('is refused, and compared and marked when the caller wants it all the same', async () => {
    const refused = await askFor(setup.host, JUDGED, { configurable: { baselineRunId: second } });
    expect({ status: refused.status, pointers: pointersOf(refused.body) }).toEqual({
      status: 400,
      pointers: [POINTER],
    });
    const configurable = { baselineRunId: second, allowJudgeMismatch: true };
    const runId = await finish(setup.host, JUDGED, { configurable });
    const { body } = await readJson(setup.host, `/v1/host/touchstone/runs/${runId}/report`);
    expect(body.regression).toMatchObject({ baselineRunId: second, otherJudge: true });
  });

  it('is refused by the report, and compared and marked in the same way', async () => {
    const refused = await reportAgainst(first, second);
    expect({ status: refused.status, pointers: pointersOf(refused.body) }).toEqual({
      status: 400,
      pointers: ['/against'],
    });
    const allowed = await reportAgainst(first, second, '&allowJudgeMismatch=true');
    expect(allowed).toMatchObject({ status: 200, body: { regression: { otherJudge: true } } });
  });

  it('is no other judge when it is the same: the permission alone changes nothing', async () => {
    const configurable = { baselineRunId: first, allowJudgeMismatch: true };
    const runId = await finish(setup.host, JUDGED, { configurable });
    const { body } = await readJson(setup.host, `/v1/host/touchstone/runs/${runId}/report`);
    expect(body.regression).not.toHaveProperty('otherJudge');
  });
});

it('the agent under test may differ, and both are named', async () => {
  const agentId = `${AGENT}@2.0.0`;
  const runId = await finish(setup.host, SUITE, { agentId, configurable: { baselineRunId: good } });
  const { body } = await readJson(setup.host, `/v1/host/touchstone/runs/${runId}/report`);
  expect(body).toMatchObject({
    agent: { version: '2.0.0' },
    regression: { baseline: { agent: { version: '1.0.0' } } },
  });
});

const VENDOR = '/v1/host/touchstone';
const compare = (body: object) => readJson(setup.host, `${VENDOR}/runs:compare`, { method: 'POST', body });
const bless = (runId: string, key = KEY) =>
  readJson(setup.host, `${VENDOR}/baselines`, { method: 'POST', key, body: { runId } });
type Comparison = { tasks: object[]; noVerdict?: object; regression?: object; criteria: object[] };

describe('two runs are compared by id', () => {
  it('task by task, with the verdict of the report', async () => {
    const after = await finish(setup.host, SUITE);
    const { status, body } = await compare({ before: good, after });
    const report = await reportAgainst(after, good, '&tolerance=0.125');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      before: { runId: good, tasks: { total: 6 } },
      after: { runId: after },
      criteria: [],
    });
    expect(body.regression).toEqual(report.body.regression);
    expect((body as unknown as Comparison).tasks).toHaveLength(6);
    const one = await compare({ before: good, after, taskId: 't-3', tolerance: 0 });
    expect(one.body).toMatchObject({
      tasks: [{ taskId: 't-3', turn: 'same', change: 0 }],
      regression: { tolerance: 0, tasks: { paired: 6 } },
    });
  });

  it.each([
    ['other repeats', 'other_repeats'],
    ['other tasks', 'other_tasks'],
    ['another suite', 'other_suite'],
  ])('without a verdict when one has %s', async (name, code) => {
    const { status, body } = await compare({ before: wrong[name], after: good });
    expect({ status, body }).toMatchObject({ status: 200, body: { noVerdict: { code } } });
    expect(body).not.toHaveProperty('regression');
    expect((body as unknown as Comparison).tasks).toHaveLength(6);
  });

  it.each(['a failed run', 'a cancelled run', 'a running run', 'no evaluation'])(
    'and refused when one is %s',
    async (name) => {
      const first = await compare({ before: wrong[name], after: good });
      const second = await compare({ before: good, after: wrong[name] });
      expect([first.status, pointersOf(first.body)]).toEqual([400, ['/before']]);
      expect([second.status, pointersOf(second.body)]).toEqual([400, ['/after']]);
    },
  );

  it('and absent when one belongs to another owner, or is there for none', async () => {
    for (const runId of [wrong['a stranger’s run'], 'run-00000000000000000000000000'])
      expect(await compare({ before: runId, after: good })).toMatchObject({
        status: 404,
        body: { details: { field: 'before' } },
      });
    expect(await compare({ before: good })).toMatchObject({ status: 400 });
  });
});

describe('baselines', () => {
  it('are kept by who may, listed with those that counted before, and stand in the history', async () => {
    const later = await finish(setup.host, SUITE);
    expect(await bless(good, READER_KEY)).toMatchObject({ status: 403 });
    expect(await bless(good)).toMatchObject({ status: 201, body: { blessed: { runId: good }, notes: [] } });
    expect(await bless(good)).toMatchObject({ status: 200, body: { already: true } });
    expect(await bless(later)).toMatchObject({ status: 201, body: { replaced: { runId: good } } });
    const { body } = await readJson(setup.host, `${VENDOR}/baselines?suiteId=${SUITE}`);
    expect(body).toMatchObject({
      items: [
        { runId: later, current: true, suite: { ref: `${SUITE}@1.0.0` } },
        { runId: good, current: false },
      ],
    });
    expect((await readJson(setup.host, `${VENDOR}/baselines?suiteId=x`)).body).toEqual({ items: [] });
    const history = await readJson(setup.host, `${VENDOR}/suites/${SUITE}/history`);
    const points = history.body.points as { runId: string; suiteVersion: string; blessed?: true }[];
    expect(points.filter((point) => point.blessed).map(({ runId }) => runId)).toEqual([later]);
    expect(points[0]).toMatchObject({
      runId: good,
      passRate: 1,
      interval: expect.any(Array),
      verdict: 'pass',
    });
    expect(points.map(({ runId }) => runId)).not.toContain(wrong['a failed run']);
    const older = await readJson(setup.host, `${VENDOR}/suites/${SUITE}@0.9.0/history`);
    expect((older.body.points as object[]).length).toBe(1);
    const latest = await readJson(setup.host, `${VENDOR}/suites/${SUITE}/history?limit=1&agentId=${AGENT}`);
    expect(latest.body.points).toMatchObject([{ runId: points.at(-1)?.runId }]);
  });

  it('are only runs that have measured every task', async () => {
    const replay = await fork(setup.host, good, { mode: 'replay' });
    await untilEvent(setup.host, String(replay.body.runId), 'run.completed');
    expect(await bless(String(replay.body.runId))).toMatchObject({ status: 400 });
    expect(await bless(wrong['a failed run'] ?? '')).toMatchObject({ status: 409 });
    expect(await bless(wrong['no evaluation'] ?? '')).toMatchObject({ status: 404 });
    expect(await bless(wrong['a stranger’s run'] ?? '')).toMatchObject({ status: 404 });
  });
});
