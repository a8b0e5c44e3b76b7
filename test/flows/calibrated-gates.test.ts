import type { ReviewItem, RunId } from '@touchstone/protocol';
import { writeReviewLabel } from '@touchstone/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestCli } from '../../packages/touchstone/src/cli/testing/test-cli.js';
import { storeOfTests } from '../setup/flow-store.js';
import { createTestClock } from './calibration-clock.js';
import { AGENT, type JudgeHost, openJudgeHost, rubricTask, SUITE, suiteOf } from './judge-host.js';
import { readJson } from './pack-host.js';

// Goal: a gate that asks whether the judge can be believed refuses with each of its reasons, and lets a version pass once
// people have given labels that say so. Method: a real host, a judge and an agent on loopback, labels over the API.

const KEYS = {
  lead: 'test-key-of-lead-0123456789abcdef',
  ann: 'test-key-of-ann-0123456789abcdefg',
  bob: 'test-key-of-bob-0123456789abcdefg',
  stranger: 'test-key-of-stranger-0123456789ab',
};
type Person = keyof typeof KEYS;
const key = (principal: Person, tenant: string) => ({
  key: KEYS[principal],
  principal,
  tenant,
  workspace: 'main',
  roles: ['admin'],
});
const DAY = 86_400_000;
const TASKS = 12;
const judgeOfGate = { minKappa: 0.5, minLabels: 8, maxAgeDays: 30, conservative: true };
const gate = (to: string, judge: object) => ({
  agentId: '*',
  to,
  requiredEval: { suite: SUITE, requiredPassScore: 0, judge },
});

let desk: JudgeHost;
const clock = createTestClock();
let runId: RunId;
beforeAll(async () => {
  desk = await openJudgeHost({
    config: {
      keys: [key('lead', 'acme'), key('ann', 'acme'), key('bob', 'acme'), key('stranger', 'zeta')],
      gates: [gate('test', judgeOfGate)],
    },
    host: { clock },
  });
  runId = (await evaluate('lead')) as RunId;
});
afterAll(() => desk.close());

const tasks = Array.from({ length: TASKS }, (_, at) =>
  rubricTask({ say: `Answer ${at}.`, criteria: [`Yes ${at}: it is right.`, `No ${at}: it is long.`] }, at),
);
const as = (person: Person) => ({
  ...desk.host,
  fetch: (path: string, options: object = {}) => desk.host.fetch(path, { key: KEYS[person], ...options }),
});
async function evaluate(person: Person): Promise<string> {
  const host = as(person);
  await readJson(host, '/v1/host/touchstone/suites', { method: 'POST', body: suiteOf(tasks) });
  const body = { mode: 'eval', evalSuiteRef: SUITE, agentId: AGENT };
  const created = await readJson(host, '/v1/runs', { method: 'POST', body });
  expect(created).toMatchObject({ status: 201 });
  const run = created.body.runId as string;
  await desk.host.client(KEYS[person]).waitForScorecard(run as RunId);
  return run;
}
const promote = (person: Person = 'lead') =>
  readJson(as(person), `/v1/agents/${AGENT}/deployments`, {
    method: 'POST',
    body: { version: '1.0.0', transition: 'promote', evalRunId: runId },
  });
const refusedFor = (reason: string, details: object = {}) => ({
  status: 403,
  body: { error: 'eval_gate_unmet', details: { reason, ...details } },
});
const calibration = async (person: Person = 'lead', query = '') =>
  (await readJson(as(person), `/v1/host/touchstone/runs/${runId}/calibration${query}`)).body;

/** Labels criteria of the run's answers: as the judge decided them, or the other way round. */
async function label(
  person: Person,
  from: number,
  to: number,
  agrees: boolean,
  { seen = false, run = runId }: { seen?: boolean; run?: string } = {},
): Promise<void> {
  const client = desk.host.client(KEYS[person]);
  const { items } = await client.review.list({ source: 'sample', n: 100, runId: run as RunId, limit: 200 });
  for (const item of items.filter(({ n }) => n >= from && n < to)) await labelTask(item);
  async function labelTask({ runId: of, answers, criteria }: ReviewItem): Promise<void> {
    for (const [at, { id }] of criteria.entries()) {
      const verdict = (at === 0) === agrees ? 'met' : 'unmet';
      await client.runs.annotate(of, {
        signal: { kind: 'label', label: writeReviewLabel({ verdict, criterion: id, seen }) },
        target: { eventId: answers[0] as string },
      });
    }
  }
}

it('refuses a judge about whom no person has said anything', async () => {
  expect(await promote()).toMatchObject(refusedFor('judge_uncalibrated', { labels: 0, labelsOfAnyAge: 0 }));
  expect(await calibration()).toMatchObject({ n: 0, reviewers: 0 });
});

it('does not count labels of the principal who promotes, nor those given after the judge was seen', async () => {
  await label('lead', 0, TASKS, true);
  await label('ann', 0, TASKS, true, { seen: true });
  expect(await calibration()).toMatchObject({ n: 2 * TASKS });
  expect(await calibration('lead', '?blind=false')).toMatchObject({ n: 2 * TASKS, reviewers: 2 });
  expect(await promote()).toMatchObject(refusedFor('judge_uncalibrated', { labels: 0 }));
});

it('does not count labels of another tenant, whatever they are about', async () => {
  const foreign = await evaluate('stranger');
  await label('stranger', 0, TASKS, true, { run: foreign });
  expect(await promote()).toMatchObject(refusedFor('judge_uncalibrated', { labels: 0 }));
  expect((await readJson(as('stranger'), `/v1/host/touchstone/runs/${runId}/calibration`)).status).toBe(404);
});

it('counts the same answer once, in however many runs one person has labelled it', async () => {
  await label('ann', 0, 2, true);
  const again = await evaluate('ann');
  for (const run of [again, await evaluate('ann')]) await label('ann', 0, 2, true, { run });
  expect(await promote()).toMatchObject(refusedFor('judge_uncalibrated', { labels: 4 }));
});

it('refuses a judge that differs from people too often', async () => {
  await label('ann', 0, TASKS, false);
  expect(await promote()).toMatchObject(refusedFor('judge_kappa_low', { labels: 2 * TASKS, kappa: -1 }));
});

it('refuses labels on verdicts that the judge gave too long ago', async () => {
  clock.moveOn(40 * DAY);
  expect(await promote()).toMatchObject(
    refusedFor('judge_labels_stale', { labels: 0, labelsOfAnyAge: 2 * TASKS }),
  );
  clock.moveOn(-40 * DAY);
});

it('lets the version pass when people agree with the judge, and says so before it is asked for', async () => {
  await label('ann', 0, TASKS, true);
  const url = `/v1/host/touchstone/agents/${AGENT}/gates?version=1.0.0&evalRunId=${runId}`;
  expect((await readJson(as('lead'), url)).body).toMatchObject({ gates: [{ evidence: { met: true } }] });
  const { n, kappa, kappaInterval } = (await calibration()) as { [member: string]: unknown };
  expect({ n, kappa }).toEqual({ n: 2 * TASKS, kappa: 1 });
  expect((kappaInterval as number[])[0]).toBeGreaterThan(0.5);
  expect(await promote()).toMatchObject({ status: 200, body: { state: 'test' } });
});

it('writes labels that judge check reads, with who gave them and whether the judge was seen', async () => {
  const text = await desk.host.client(KEYS.ann).review.labels({ runId });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { [member: string]: unknown });
  expect(
    lines
      .filter(({ by }) => by === 'ann')
      .every(({ at, seen }) => seen === undefined && typeof at === 'string'),
  ).toBe(true);
  expect(lines).toHaveLength(4 * TASKS);
  // The operator checks the judge of the host by this file, on the store of the host: the same answers count once.
  const cli = openTestCli({ cwd: desk.host.folder });
  cli.write('labels.jsonl', text);
  cli.write('touchstone.config.json', {
    providers: { local: { kind: 'openai-compatible', baseUrl: desk.judge.baseUrl } },
    judge: { model: 'local/judge-1' },
    ...storeOfTests(desk.host.folder),
  });
  const before = (await calibration('lead', '?blind=false')) as { n: number; digest: string };
  const options = ['--suite', SUITE, '--tenant', 'acme', '--data', 'data', '--json'];
  const { code, out, err } = await cli.run('judge', 'check', 'labels.jsonl', ...options);
  expect([code, err]).toEqual([0, '']);
  expect(JSON.parse(out)).toMatchObject({ record: { kept: 4 * TASKS, otherCriteria: 0 } });
  expect(await calibration('lead', '?blind=false')).toMatchObject({ n: before.n, digest: before.digest });
  expect(await calibration('lead', `?since=${new Date(clock.now() + DAY).toISOString()}`)).toMatchObject({
    n: 0,
  });
});
