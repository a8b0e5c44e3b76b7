import { check } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStream, type Reader } from '../../packages/touchstone/src/app/testing/listening.js';
import { eventsOf, ofType, readJson } from './pack-host.js';
import { KEY, OTHER_KEY } from './processes.js';
import {
  BLIND_KEY,
  begin,
  diffOf,
  finish,
  fork,
  golden,
  installSuite,
  OVERRIDER_KEY,
  openRunHost,
  READER_KEY,
  REVIEWER_KEY,
  type RunHost,
  untilEvent,
} from './run-host.js';

// Goal: what people say about a run is kept, shown and counted beside it, and changes nothing in it. Method: real runs;
// everything a run can be read by is taken before and after, byte by byte.
const SUITE = 'local.test.evals.reviewed';
/** Put together here, so that nothing in this file is a secret by itself. */
const SECRETS = [`sk${'-'}canary-4f9d-do-not-leak`, `Bearer ${'canary'}AbCdEf0123456789AbCdEf0123456789`];

let setup: RunHost;
beforeAll(async () => {
  setup = await openRunHost();
  const tasks = [
    golden('right'),
    golden('wrong', { say: 'no' }),
    golden('odd', { say: 'hm' }),
    golden('fine'),
  ];
  await installSuite(setup.host, { suiteId: SUITE, version: '1.0.0', modes: ['golden'], tasks });
});
afterAll(() => setup.close());

type Remark = { readonly annotationId: string; readonly [member: string]: unknown };
const annotate = (runId: string, body: object, key = KEY) =>
  readJson(setup.host, `/v1/runs/${runId}/annotations`, { method: 'POST', body, key });
const listOf = async (runId: string, key = KEY): Promise<readonly Remark[]> =>
  (await readJson(setup.host, `/v1/runs/${runId}/annotations`, { key })).body
    .annotations as readonly Remark[];
const flag = { signal: { kind: 'flag' } };
const textOf = async (path: string): Promise<string> => (await setup.host.fetch(path)).text();
const reportOf = async (runId: string) =>
  (await readJson(setup.host, `/v1/host/touchstone/runs/${runId}/report`)).body;
const scoredIn = async (runId: string, taskId: string): Promise<string> => {
  const events = await eventsOf(setup.host, runId);
  return ofType(events, 'eval.scored').find(({ nodeId }) => nodeId === taskId)?.eventId as string;
};
/** Everything recorded about a run, as the host sends it. */
const recorded = async (runId: string): Promise<readonly string[]> => [
  await textOf(`/v1/runs/${runId}/events/poll`),
  await textOf(`/v1/runs/${runId}/eval-summary`),
  await textOf(`/v1/runs/${runId}`),
];

describe('a remark', () => {
  const signals = [
    { kind: 'rating', rating: 4 },
    { kind: 'correction', correction: 'It should have said where.' },
    { kind: 'label', label: 'curt' },
    { kind: 'flag' },
  ];
  it('of each kind is taken on a run that is over, answered as the protocol has it, and listed in order', async () => {
    const runId = await finish(setup.host, SUITE);
    const other = await finish(setup.host, SUITE);
    const before = await recorded(runId);
    const eventId = await scoredIn(runId, 'wrong');
    const made: Remark[] = [];
    for (const [index, signal] of signals.entries()) {
      const target = [{}, { eventId }, { nodeId: 'wrong' }, { eventId, nodeId: 'wrong' }][index] as object;
      const body = { signal, target, note: `remark ${index}` };
      expect(check('annotation-create', body)).toEqual([]);
      const answer = await annotate(runId, body, REVIEWER_KEY);
      expect({ status: answer.status, issues: check('annotation', answer.body) }).toEqual({
        status: 201,
        issues: [],
      });
      expect(answer.body).toMatchObject({
        signal,
        note: `remark ${index}`,
        target: { runId, ...target },
        actor: { principalRef: 'reviewer' },
      });
      made.push(answer.body as Remark);
    }
    expect(new Set(made.map(({ annotationId }) => annotationId)).size).toBe(signals.length);
    expect(await listOf(runId, READER_KEY)).toEqual(made);
    expect(await listOf(other)).toEqual([]);
    expect(await recorded(runId)).toEqual(before);
  });

  it('is for those who may annotate or create runs; reading it for those who may read runs', async () => {
    const runId = await finish(setup.host, SUITE);
    expect((await annotate(runId, flag, REVIEWER_KEY)).status).toBe(201);
    expect((await annotate(runId, flag, BLIND_KEY)).status).toBe(201);
    const reader = await annotate(runId, flag, READER_KEY);
    expect(reader).toMatchObject({ status: 403, body: { details: { scopeRequired: 'runs:annotate' } } });
    expect((await setup.host.fetch(`/v1/runs/${runId}/annotations`, { key: BLIND_KEY })).status).toBe(403);
    const absent = await annotate('run-absent', flag, OTHER_KEY);
    expect(absent.status).toBe(404);
    expect(await annotate(runId, flag, OTHER_KEY)).toEqual(absent);
    expect((await setup.host.fetch(`/v1/runs/${runId}/annotations`, { key: OTHER_KEY })).status).toBe(404);
    expect(await listOf(runId)).toHaveLength(2);
  });

  it('on what the run does not have is refused', async () => {
    const [runId, other] = [await finish(setup.host, SUITE), await finish(setup.host, SUITE)];
    const elsewhere = await scoredIn(other, 'wrong');
    for (const target of [{ eventId: elsewhere }, { eventId: `${runId}:9999` }, { nodeId: 'nobody' }])
      expect((await annotate(runId, { ...flag, target })).status).toBe(404);
    const eventId = await scoredIn(runId, 'wrong');
    const mismatch = await annotate(runId, { ...flag, target: { eventId, nodeId: 'right' } });
    expect(mismatch).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(await listOf(runId)).toEqual([]);
  });
});

describe('a remark on a running run', () => {
  const stream = (runId: string, mode: string): Promise<Reader> =>
    openStream(`${setup.host.url}/v1/runs/${runId}/events?streamMode=${mode}`, {
      authorization: `Bearer ${KEY}`,
    });

  it('is told to open streams at once, and is in no log, poll, diff, fork or replay', async () => {
    const gate = setup.hold();
    const suiteId = `${SUITE}-live`;
    const tasks = [golden('t-0'), golden('t-1', { hold: true })];
    await installSuite(setup.host, { suiteId, version: '1.0.0', modes: ['golden'], tasks });
    const runId = await begin(setup.host, suiteId, { configurable: { concurrency: 1 } });
    const twin = await begin(setup.host, suiteId, { configurable: { concurrency: 1 } });
    await untilEvent(setup.host, runId, 'eval.scored');
    const readers = await Promise.all(['updates', 'debug', 'messages'].map((mode) => stream(runId, mode)));
    const answer = await annotate(runId, { ...flag, note: `See ${SECRETS.join(' and ')}.` });
    expect(answer.status).toBe(201);
    for (const reader of readers.slice(0, 2)) {
      let frame = await reader.next();
      while (frame && frame.event !== 'run.annotated') frame = await reader.next();
      expect(frame).toEqual({ event: 'run.annotated', data: JSON.stringify(answer.body) });
      for (const secret of SECRETS) expect(frame?.data).not.toContain(secret);
    }
    gate.resolve();
    const rests = await Promise.all(readers.map((reader) => reader.rest()));
    for (const rest of rests) expect(rest.map(({ event }) => event)).not.toContain('run.annotated');
    expect(JSON.stringify(rests[2])).not.toContain(answer.body.annotationId as string);

    const events = await eventsOf(setup.host, runId);
    await eventsOf(setup.host, twin);
    expect(events.map(({ type }) => type)).not.toContain('run.annotated');
    const late = await (await stream(runId, 'debug')).rest();
    expect(late.map(({ event }) => event)).toEqual(events.map(({ type }) => type));
    expect(await diffOf(setup.host, runId, twin)).toMatchObject({ divergedAtSeq: null, stateDiff: {} });
    const replay = (await fork(setup.host, runId, { mode: 'replay' })).body.runId as string;
    const branch = (await fork(setup.host, runId, { mode: 'branch', fromSeq: 2 })).body.runId as string;
    for (const copy of [replay, branch]) {
      expect(await eventsOf(setup.host, copy)).toHaveLength(events.length);
      expect(await listOf(copy)).toEqual([]);
    }
    expect(await listOf(runId)).toEqual([answer.body]);
  });
});

describe('a correction of a score', () => {
  const correct = async (
    runId: string,
    taskId: string,
    text: string,
    extra: object = {},
    key = OVERRIDER_KEY,
  ) => {
    const target = { eventId: await scoredIn(runId, taskId) };
    const signal = { kind: 'correction', correction: text };
    const answer = await annotate(runId, { signal, target, note: 'A person looked.', ...extra }, key);
    expect(answer.status).toBe(201);
    return answer.body as Remark;
  };

  it('changes what the report says beside the scorecard, and nothing else', async () => {
    const runId = await finish(setup.host, SUITE);
    const [before, report] = [await recorded(runId), await reportOf(runId)];
    expect(report).toMatchObject({ aggregate: { score: 0.5 } });
    expect(report).not.toHaveProperty('adjusted');
    const remark = await correct(runId, 'wrong', '{"score":0.75}');
    const { adjusted, ...rest } = await reportOf(runId);
    expect(rest).toEqual(report);
    expect(adjusted).toEqual({
      score: 2.75 / 4,
      passed: false,
      overrides: [
        {
          taskId: 'wrong',
          eventId: await scoredIn(runId, 'wrong'),
          annotationId: remark.annotationId,
          before: { score: 0, passed: false },
          after: { score: 0.75, passed: false },
          by: 'overrider',
          at: remark.createdAt,
        },
      ],
    });
    expect(await recorded(runId)).toEqual(before);
    const replay = (await fork(setup.host, runId, { mode: 'replay' })).body.runId as string;
    await eventsOf(setup.host, replay);
    expect(await reportOf(replay)).not.toHaveProperty('adjusted');
    expect(await diffOf(setup.host, runId, replay)).toMatchObject({ divergedAtSeq: null });
  });

  it('counts by its last word, and keeps the history', async () => {
    const runId = await finish(setup.host, SUITE);
    await correct(runId, 'wrong', '{"passed":true}');
    await correct(runId, 'odd', '{"score":1}');
    expect(await reportOf(runId)).toMatchObject({ adjusted: { score: 1, passed: true } });
    await correct(runId, 'right', '{"passed":false}');
    await correct(runId, 'wrong', '{"score":0.25}');
    const { adjusted } = (await reportOf(runId)) as { adjusted: { overrides: { taskId: string }[] } };
    expect(adjusted).toMatchObject({ score: 2.25 / 4, passed: false });
    expect(adjusted.overrides).toMatchObject([
      { taskId: 'right', before: { score: 1 }, after: { score: 0, passed: false } },
      { taskId: 'wrong', after: { score: 0.25 }, replaced: 1 },
      { taskId: 'odd', after: { score: 1, passed: true } },
    ]);
    expect(await listOf(runId)).toHaveLength(4);
  });

  it.each<[string, string, object, string]>([
    ['by someone who may not', '{"score":1}', {}, REVIEWER_KEY],
    ['without a reason', '{"score":1}', { note: '  ' }, OVERRIDER_KEY],
    ['in other words', 'It was right.', {}, OVERRIDER_KEY],
    ['beyond the scale', '{"score":1.5}', {}, OVERRIDER_KEY],
    ['with more than was asked', '{"score":1,"passed":true}', {}, OVERRIDER_KEY],
    ['twice over', '{"score":1,"score":0}', {}, OVERRIDER_KEY],
    ['of nothing in particular', '{"score":1}', { target: {} }, OVERRIDER_KEY],
    ['of a node', '{"score":1}', { target: { nodeId: 'wrong' } }, OVERRIDER_KEY],
    ['of the run’s first event', '{"score":1}', { target: 'first' }, OVERRIDER_KEY],
  ])('%s is a remark like any other', async (_, text, extra, key) => {
    const runId = await finish(setup.host, SUITE);
    const before = await reportOf(runId);
    const target = 'target' in extra && extra.target === 'first' ? { target: { eventId: `${runId}:0` } } : {};
    const remark = await correct(runId, 'wrong', text, { ...extra, ...target }, key);
    expect(await reportOf(runId)).toEqual(before);
    expect(await listOf(runId)).toEqual([remark]);
  });

  it('of an admin counts as well, and is nobody else’s business', async () => {
    const runId = await finish(setup.host, SUITE);
    await correct(runId, 'wrong', '{"score":1}', {}, KEY);
    expect(await reportOf(runId)).toMatchObject({ adjusted: { overrides: [{ by: 'lead' }] } });
    const line = setup.host.logs.find((text) => text.includes('annotation.recorded') && text.includes(runId));
    expect(line).toBeDefined();
    expect(line).not.toContain('A person looked');
  });
});

it('secrets in what people write are nowhere to be read again', async () => {
  const runId = await finish(setup.host, SUITE);
  const eventId = await scoredIn(runId, 'wrong');
  const words = SECRETS.join(' ');
  const bodies = [
    { signal: { kind: 'correction', correction: words }, note: words },
    { signal: { kind: 'label', label: words } },
    { signal: { kind: 'correction', correction: '{"score":1}' }, target: { eventId }, note: words },
  ];
  const answers = await Promise.all(bodies.map((body) => annotate(runId, body)));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  const seen = [
    JSON.stringify(answers),
    await textOf(`/v1/runs/${runId}/annotations`),
    await textOf(`/v1/runs/${runId}/debug-bundle`),
    JSON.stringify(await reportOf(runId)),
    setup.host.logs.join('\n'),
  ];
  for (const text of seen) expect(text).not.toMatch(/canary/);
  const ids = answers.map(({ body }) => (body as Remark).annotationId);
  expect(seen[2]).toContain(ids[0]);
  expect(seen[3]).toContain(ids[2]);
});
