import type { ReviewItem, ReviewLabel, RunId } from '@touchstone/protocol';
import { writeReviewLabel } from '@touchstone/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OTHER_KEY } from './processes.js';
import { checkLabels, openReviewHost, REVIEW_SUITE, type ReviewHost } from './review-host.js';
import { RUNNER_KEY } from './whole-host.js';

// Goal: people decide about answers, and their decisions show how good a judge is. Method: a run with a scripted judge, labels
// over the API as the page records them, and every number held against a count made here.

const VENDOR = '/v1/host/touchstone';
let host: ReviewHost;
beforeAll(async () => {
  host = await openReviewHost();
});
afterAll(() => host.close());

const list = (query: object = {}) => host.client().review.list({ limit: 200, ...query });
const idsOf = (items: readonly ReviewItem[]) => items.map(({ taskId }) => taskId);
const label = (
  item: ReviewItem,
  decision: Partial<ReviewLabel> & Pick<ReviewLabel, 'verdict'>,
  key?: string,
  answer = 0,
) =>
  host.client(key).runs.annotate(item.runId, {
    signal: { kind: 'label', label: writeReviewLabel({ seen: false, ...decision }) },
    target: { eventId: item.answers[answer] as string },
  });
const agreement = async () => (await host.client().review.agreement({ suiteId: REVIEW_SUITE })).judges;

describe('the list of tasks for people', () => {
  it('has the failures of the newest run, with the events of their answers and their criteria', async () => {
    const { items, counts } = await list();
    const failed = await host.client().runs.tasks(host.runId, { outcome: 'failed' });
    expect(idsOf(items)).toEqual(idsOf(failed.items as never));
    expect(counts).toMatchObject({ open: failed.matched, done: 0, failures: failed.matched, flagged: 0 });
    const { events } = await host.client().pollEvents(host.runId, {});
    const decided = events.filter(({ type, nodeId }) => type === 'agent.decided' && nodeId === 'reply-1');
    expect(items[0]).toMatchObject({
      runId: host.runId,
      taskId: 'reply-1',
      n: 0,
      source: 'failures',
      answers: decided.map(({ eventId }) => eventId),
      criteria: [{ judged: true }, { judged: true }, { judged: false }],
      reviews: [],
    });
    expect(items.at(-1)).toMatchObject({ taskId: 'reply-12', answers: [] });
    expect(JSON.stringify(items)).not.toMatch(/ANSWER|SENTENCE|REASON|parcel/);
  });

  it('draws the same sample for the same seed, another one for another, and pages through it', async () => {
    const sample = (more: object) => list({ source: 'sample', n: 5, seed: 7, ...more });
    const drawn = idsOf((await sample({})).items);
    expect(drawn).toHaveLength(5);
    expect(
      idsOf((await host.client(RUNNER_KEY).review.list({ source: 'sample', n: 5, seed: 7 })).items),
    ).toEqual(drawn);
    expect(idsOf((await sample({ seed: 8 })).items)).not.toEqual(drawn);
    const first = await sample({ limit: 2 });
    const rest = await sample({ cursor: first.nextCursor });
    expect([...idsOf(first.items), ...idsOf(rest.items)]).toEqual(drawn);
    expect(rest.nextCursor).toBeUndefined();
  });

  it('keeps what is flagged, and tells what waits for me from what waits for anyone', async () => {
    const [item] = (await list({ source: 'sample' })).items;
    await host.client().runs.annotate(host.runId, {
      signal: { kind: 'flag' },
      target: { eventId: item?.answers[0] ?? '' },
    });
    expect(idsOf((await list({ source: 'flagged' })).items)).toEqual([item?.taskId]);
    await label(item as ReviewItem, { verdict: 'pass' }, RUNNER_KEY);
    expect(idsOf((await list({ source: 'flagged', state: 'open', by: 'anyone' })).items)).toEqual([]);
    const mine = await list({ source: 'flagged', state: 'open', by: 'me' });
    expect(idsOf(mine.items)).toEqual([item?.taskId]);
    expect(mine.items[0]?.reviews.map(({ kind }) => kind)).toEqual(['flag', 'pass']);
    expect(mine.counts).toMatchObject({ open: 1, done: 0, flagged: 1 });
  });

  it.each([
    'source=everything',
    'n=0',
    'n=1001',
    'seed=-1',
    'state=maybe',
    'by=them',
    'limit=201',
    'cursor=x',
  ])('refuses %s', async (query) => {
    const answer = await host.fetch(`${VENDOR}/review?${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'validation_error' });
  });

  it('of another tenant’s run looks like nothing, and lists and figures of another tenant are empty', async () => {
    const asOther = (path: string) => host.fetch(`${VENDOR}/${path}`, { key: OTHER_KEY });
    for (const runId of [host.runId, 'run-nope']) {
      const answer = await asOther(`review?runId=${runId}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ message: 'There is no such run.' });
    }
    expect(await (await asOther('review')).json()).toMatchObject({ items: [], counts: { open: 0 } });
    expect(await (await asOther(`agreement?suiteId=${REVIEW_SUITE}`)).json()).toEqual({ judges: [] });
    expect(await (await asOther(`labels?runId=${host.runId}`)).text()).toBe('');
  });
});

describe('labels of people', () => {
  const decided = async () => {
    const { items } = await list({ source: 'sample', n: 12, seed: 1 });
    return items.filter(({ answers }) => answers.length > 0).toSorted((a, b) => a.n - b.n);
  };

  it('make the agreement of the judge: the latest of a person counts, and those given blind apart', async () => {
    const items = await decided();
    const [criterion, other] = (items[0]?.criteria ?? []).map(({ id }) => id) as [never, never];
    // The judge says unmet of every third one; this person says met of the first, and changes her mind about the second.
    for (const [at, item] of items.entries()) {
      if (at === 1) await label(item, { verdict: 'unmet', criterion });
      await label(item, { verdict: at % 3 === 0 && at > 0 ? 'unmet' : 'met', criterion });
      await label(item, { verdict: at % 4 === 1 ? 'unmet' : 'met', criterion: other });
    }
    const [first, second] = items as [ReviewItem, ReviewItem];
    await label(first, { verdict: 'unmet', criterion, seen: true }, RUNNER_KEY);
    await label(second, { verdict: 'met', criterion }, RUNNER_KEY);
    // A check would agree with any judge, and a word about the whole answer is about no criterion.
    await label(first, { verdict: 'unmet', criterion: first.criteria[2]?.id as never });
    await label(first, { verdict: 'fail' });
    const [judge, ...others] = await agreement();
    expect(others).toEqual([]);
    expect(judge).toMatchObject({
      provider: 'offline',
      model: 'strict',
      votes: 1,
      mock: true,
      reviewers: 2,
      blind: { n: 23, confusion: { tp: 16, fp: 0, fn: 1, tn: 6 } },
      all: { n: 24, confusion: { tp: 16, fp: 0, fn: 1, tn: 7 } },
      people: { n: 1 },
      disagreements: [
        { runId: host.runId, taskId: first.taskId, criterion, person: true, judge: false, blind: true },
      ],
    });
    expect(judge?.criteria.map(({ id, n }) => [id, n])).toEqual([
      [criterion, 13],
      [other, 11],
    ]);
    expect(judge?.costUsd).toBeCloseTo(0.11, 9);
    expect(JSON.stringify(judge)).not.toMatch(/ANSWER|SENTENCE|REASON|parcel/);
  });

  it('are kept by judge and by time, and wrong values are refused', async () => {
    const get = async (query: string): Promise<{ readonly judges?: unknown }> =>
      (await host.fetch(`${VENDOR}/agreement?${query}`)).json() as never;
    const [judge] = await agreement();
    expect((await get(`judge=${encodeURIComponent(judge?.digest ?? '')}`)).judges).toEqual([judge]);
    expect((await get('judge=sha256:nope')).judges).toEqual([]);
    expect((await get('since=2200-01-01T00:00:00Z')).judges).toEqual([]);
    expect((await get('since=2020-01-01T00:00:00Z')).judges).toEqual([judge]);
    expect(await get('since=yesterday')).toMatchObject({ error: 'validation_error' });
    expect((await host.fetch(`${VENDOR}/labels?blind=perhaps`)).status).toBe(400);
  });

  it('are a file with questions and answers, in which judge check finds the same kappa', async () => {
    const text = await host.client().review.labels({ suiteId: REVIEW_SUITE, blind: true });
    const lines = text.trimEnd().split('\n');
    const [judge] = await agreement();
    expect(lines).toHaveLength(judge?.blind.n ?? 0);
    expect(JSON.parse(lines[0] as string)).toEqual({
      id: expect.stringContaining(`${host.runId}/reply-1/`),
      input: { message: 'Where is my parcel reply-1?' },
      output: expect.stringContaining('ANSWER-reply-1.'),
      criterion: 'SENTENCE: it names the day.',
      met: true,
      by: expect.stringMatching(/^key-/),
      at: expect.stringMatching(/^2/),
    });
    const { judged, labels } = await checkLabels(host, text);
    // The page counts labels and the file answers, so the two intervals of kappa are near each other and not equal.
    const { n, interval: _, kappaInterval: _spread, ...blind } = judge?.blind ?? {};
    expect([labels, judged]).toEqual([n, expect.objectContaining(blind)]);
    expect(judged.kappa).toBeGreaterThan(0.5);
    expect((await host.client().review.labels({ runId: host.runId })).trimEnd().split('\n')).toHaveLength(
      judge?.all.n ?? 0,
    );
    expect(await host.client().review.labels({ suiteId: 'no.such.suite' })).toBe('');
  });

  it('of one of several repeats are held against the verdict on that repeat', async () => {
    const before = (await agreement())[0]?.all.n ?? 0;
    const runId: RunId = await host.evaluate(2);
    const { items } = await list({ source: 'failures', runId });
    const item = items[0] as ReviewItem;
    expect(item.answers).toHaveLength(2);
    await label(item, { verdict: 'met', criterion: item.criteria[0]?.id as never }, undefined, 1);
    const [judge] = await agreement();
    expect(judge?.all.n).toBe(before + 1);
    expect(judge?.disagreements[0]).toMatchObject({ runId, taskId: item.taskId });
  });
});

describe('the report of a run whose answers people have labelled', () => {
  const reportOf = (runId: RunId) => host.client().runs.report(runId);

  it('has the score with the error of the judge taken into account, as soon as there are enough labels', async () => {
    const runId = await host.evaluate();
    const items = (await list({ source: 'sample', runId, n: 50 })).items.filter(
      ({ answers }) => answers.length > 0,
    );
    const before = await reportOf(runId);
    expect(before).not.toHaveProperty('corrected');
    // People see everything met: each criterion that the judge saw unmet adds a third of a task.
    for (const item of items)
      for (const { id } of item.criteria.filter(({ judged }) => judged))
        await label(item, { verdict: 'met', criterion: id });
    const { corrected, aggregate, criteria = [] } = await reportOf(runId);
    expect(aggregate).toEqual(before.aggregate);
    const unmet = criteria.reduce((sum, { met, applicable }) => sum + (1 - met) * applicable, 0);
    expect(corrected).toMatchObject({ labelled: 11, judged: 11 });
    expect(corrected?.score).toBeCloseTo(aggregate.score + unmet / 3 / 12, 9);
    expect(corrected?.interval[1]).toBeGreaterThan(aggregate.interval[1]);
  });

  it('does not count labels that were given after the judge was seen, nor a task with a criterion left open', async () => {
    const runId = await host.evaluate();
    const { items } = await list({ source: 'sample', runId, n: 50 });
    for (const [at, item] of items.entries())
      for (const { id } of item.criteria.filter(({ judged }) => judged).slice(0, at === 0 ? 1 : 2))
        if (item.answers.length > 0) await label(item, { verdict: 'met', criterion: id, seen: at > 0 });
    expect(await reportOf(runId)).not.toHaveProperty('corrected');
  });
});
