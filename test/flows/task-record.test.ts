import { asId, type RunId } from '@touchstone/protocol';
import { schemaIssues } from '@touchstone/protocol/schema';
import { vendor } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OTHER_KEY } from './processes.js';
import { CANARY, openRecordHost, type RecordHost } from './record-host.js';

// Goal: what happened in a task can be read, with the times of its calls; tasks are found by their content; reports are kept.
// Method: a real host whose models are files, with a tool, a judge of three votes, repeats and a baseline.

let host: RecordHost;
beforeAll(async () => {
  host = await openRecordHost();
});
afterAll(() => host.close());

const path = (rest: string, runId: string = host.runId) => `/v1/host/touchstone/runs/${runId}/${rest}`;

describe('the events of a task', () => {
  it('have a span for each call, with the repeat it belongs to and the event that tells of it', async () => {
    const answer = await host.client().runs.taskEvents(host.runId, 'refund-1');
    expect(schemaIssues(vendor.taskEvents, { ...answer, items: [] })).toEqual([]);
    const kinds = ['model', 'tool', 'model', 'judge', 'judge', 'judge'];
    expect(answer.spans.map(({ kind, repeat }) => [kind, repeat])).toEqual([
      ...kinds.map((kind) => [kind, 0]),
      ...kinds.map((kind) => [kind, 1]),
    ]);
    const byId = new Map(answer.items.map((event) => [event.eventId as string, event.type as string]));
    for (const { kind, eventId = '', untimed } of answer.spans) {
      expect(byId.get(eventId)).toBe(kind === 'tool' ? 'agent.toolCalled' : 'provider.usage');
      expect(untimed).toBeUndefined();
    }
    expect(answer.spans[2]).toMatchObject({
      name: 'local/large-1',
      tokens: { input: 961, output: 48 },
      costUsd: 0.0009,
    });
    expect(answer.items.at(-1)).toMatchObject({ type: 'eval.scored', nodeId: 'refund-1' });
    expect(JSON.stringify(answer.items)).toContain(CANARY);
    expect(JSON.stringify(answer.spans)).not.toContain(CANARY);
  });

  it('are left out of the difference of two runs, as other times are', async () => {
    expect(await host.client().runs.diff(host.runId, host.before)).toMatchObject({ divergedAtSeq: null });
  });

  it('are those of the source in a replay', async () => {
    const client = host.client();
    const { runId } = await client.runs.fork(host.runId, { mode: 'replay' });
    await client.waitForScorecard(runId);
    const timesOf = async (id: RunId) =>
      (await client.runs.taskEvents(id, 'refund-1')).spans.map(({ eventId: _, ...span }) => span);
    expect(await timesOf(runId)).toEqual(await timesOf(host.runId));
  });

  it('of a run that only judged again show the judge after the answer', async () => {
    const client = host.client();
    const { runId } = await client.runs.rejudge(host.runId, {});
    await client.waitForScorecard(asId<RunId>(runId));
    const all = (await client.runs.taskEvents(asId<RunId>(runId), 'refund-1')).spans;
    const spans = all.filter(({ repeat }) => repeat === 0);
    const ends = spans.filter(({ kind }) => kind !== 'judge').map(({ startMs }) => startMs);
    const judged = spans.filter(({ kind }) => kind === 'judge').map(({ startMs }) => startMs);
    expect(Math.min(...judged)).toBeGreaterThanOrEqual(Math.max(...ends));
    expect(Math.max(...judged)).toBeLessThan(60_000);
  });

  it('of another tenant, of no task and from no number are refused', async () => {
    const refused = async (rest: string, key?: string) =>
      (await host.fetch(path(rest), key === undefined ? {} : { key })).status;
    expect(await refused('tasks/refund-1/events', OTHER_KEY)).toBe(404);
    expect(await refused('tasks/nothing/events')).toBe(404);
    expect(await refused('tasks/refund-1/events?cursor=x')).toBe(400);
  });
});

describe('searching tasks by their content', () => {
  const search = (text: string, filters = {}) =>
    host.client().runs.searchTasks(host.runId, { text, filters });

  it('looks through inputs, answers and expected values, whatever their case, and lists without content', async () => {
    const idsOf = async (text: string, filters = {}) =>
      (await search(text, filters)).items.map(({ taskId }) => taskId);
    expect(await idsOf('PARCEL')).toEqual(['refund-1']);
    expect(await idsOf(CANARY.toUpperCase())).toEqual(['refund-1']);
    expect(await idsOf('at ten')).toEqual(['late-1']);
    expect(await idsOf('opens at nine', { outcome: 'failed' })).toEqual(['late-1']);
    const all = await search('opens at nine', { order: '-suite', limit: 2 });
    expect([all.matched, all.total, all.items.length]).toEqual([9, 10, 2]);
    expect(JSON.stringify(await search(CANARY))).not.toContain(CANARY);
  });

  it('of another tenant, or by filters that will not do, is refused', async () => {
    const status = async (body: object, key?: string) =>
      (await host.fetch(path('tasks:search'), { method: 'POST', body, ...(key !== undefined && { key }) }))
        .status;
    expect(await status({ text: 'parcel' }, OTHER_KEY)).toBe(404);
    expect(await status({ text: '' })).toBe(400);
    expect(await status({ text: 'x', filters: { outcome: 'maybe' } })).toBe(400);
    expect(await status({ text: 'x', filters: { limit: 501 } })).toBe(400);
  });
});

describe('the report', () => {
  const report = (query = '', headers = {}) => host.fetch(path(`report${query}`), { headers });

  it('says how likely the comparison finds a drop, and how many tasks find half of the smallest', async () => {
    const body = await host.client().runs.report(host.runId, { against: host.before });
    expect(schemaIssues(vendor.evalReport, body)).toEqual([]);
    const chances = (body.power ?? []).map(({ chance }) => chance);
    expect(chances[0]).toBe(0);
    expect(chances).toEqual(chances.toSorted((a, b) => a - b));
    expect(body.halfDrop?.tasks).toBeGreaterThan(10);
  });

  it('has an ETag that holds until a person corrects a score', async () => {
    const etag = (await report()).headers.get('etag') ?? '';
    expect((await report('', { 'if-none-match': etag })).status).toBe(304);
    const { items } = await host.client().runs.tasks(host.runId, { id: 'late-1' });
    await host.client().runs.annotate(host.runId, {
      target: { eventId: items[0]?.scored as string },
      signal: { kind: 'correction', correction: '{"score":1}' },
      note: 'Ten is right on Sundays.',
    });
    const again = await report('', { 'if-none-match': etag });
    expect(again.status).toBe(200);
    expect(await again.json()).toHaveProperty('adjusted');
  });
});

describe('polling events', () => {
  it('takes as many as wanted, of the wanted types, and says how far it has read', async () => {
    const client = host.client();
    const two = await client.pollEvents(host.runId, { limit: 2 });
    expect([two.events.map(({ sequence }) => sequence), two.isComplete]).toEqual([[0, 1], false]);
    const types = ['eval.scored'];
    const first = await client.pollEvents(host.runId, { types, limit: 3 });
    expect(first.events.map(({ type }) => type)).toEqual(['eval.scored', 'eval.scored', 'eval.scored']);
    expect(first.lastSequence).toBe(first.events.at(-1)?.sequence);
    const rest = await client.pollEvents(host.runId, { types, after: first.lastSequence as number });
    expect([rest.events.length, rest.isComplete]).toEqual([7, true]);
  });

  it.each(['limit=0', 'limit=1001', 'types=', 'types=a%20b'])('refuses %s', async (query) => {
    expect((await host.fetch(`/v1/runs/${host.runId}/events/poll?${query}`)).status).toBe(400);
  });
});
