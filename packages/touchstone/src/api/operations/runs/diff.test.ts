import { check } from '@touchstone/protocol/wire';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../app/system.js';
import { completed, decided, started } from '../../../app/testing/events.js';
import { expectRefusal } from '../../../app/testing/scorecards.js';
import { createTestHost, KEYS, type TestHost } from '../../../app/testing/test-host.js';
import { buildDebugBundle, type DebugBundle } from '../../../app/views/debug-bundle/debug-bundle.js';
import type { RunDiff } from '../../../app/views/diff.js';

let host: TestHost;
let one: string;
let other: string;
let foreign: string;

const create = async (key: string, body: object): Promise<string> =>
  (await host.request('POST', '/v1/runs', { key, body })).json<{ runId: string }>().runId;
const agentRun = { agentId: 'local.acme.echo', metadata: { say: 'a secret word' } };

beforeEach(async () => {
  host = await createTestHost({
    wrap: (touchstone) => ({
      ...touchstone,
      debugBundle(owner, runId) {
        const mask = (text: string) => text.replaceAll('secret', '***');
        return buildDebugBundle(
          { store: touchstone.store, clock: systemClock, version: '1', mask },
          owner,
          runId,
        );
      },
    }),
  });
  one = await create(KEYS.acme, agentRun);
  other = await create(KEYS.acme, agentRun);
  foreign = await create(KEYS.rival, agentRun);
  for (const runId of [one, other])
    await host.append(runId, [started, decided('agent', runId), completed], 'completed');
});
afterEach(() => host.close());

const diff = (query: string, runId = one, key: string = KEYS.reader) =>
  host.request('GET', `/v1/runs/${runId}:diff${query}`, { key });
const bundle = (runId = one, key: string = KEYS.reader) =>
  host.request('GET', `/v1/runs/${runId}/debug-bundle`, { key });

it('two runs are compared for whoever may read them, and the answer is kept by nobody', async () => {
  const answer = await diff(`?against=${other}`);
  expect(answer.status).toBe(200);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(check('run-diff-response', answer.json())).toEqual([]);
  const { a, b, divergedAtSeq, eventDiffs } = answer.json<RunDiff>();
  expect({ a, b, divergedAtSeq }).toEqual({ a: one, b: other, divergedAtSeq: 1 });
  expect(eventDiffs.map(({ seq, op }) => [seq, op])).toEqual([[1, 'changed']]);
  const same = (await diff(`?against=${one}`)).json();
  expect(same).toEqual({ a: one, b: one, divergedAtSeq: null, eventDiffs: [], stateDiff: {} });
});

it.each([[''], ['?against='], [`?against=${'x'.repeat(129)}`], ['?against=run-1&against=run-2']])(
  'a diff with the query "%s" is refused, naming the parameter',
  async (query) => {
    for (const runId of [one, 'run-404'])
      expect(expectRefusal(await diff(query, runId), 400, 'validation_error').details.field).toBe('against');
  },
);

it('a run that is absent and one of somebody else are told apart by nobody', async () => {
  const absent = await diff(`?against=${other}`, 'run-404');
  expectRefusal(absent, 404, 'not_found');
  const answers = [
    await diff(`?against=${other}`, foreign),
    await diff(`?against=${foreign}`),
    await diff('?against=run-404'),
    await bundle('run-404'),
    await bundle(foreign),
    await bundle(one, KEYS.rival),
  ];
  for (const answer of answers) expect([answer.status, answer.text]).toEqual([404, absent.text]);
});

it('both need the right to read runs', async () => {
  expectRefusal(await diff(`?against=${other}`, one, KEYS.none), 403, 'forbidden');
  expectRefusal(await bundle(one, KEYS.none), 403, 'forbidden');
});

it('a run is handed out in one document, masked, and kept by nobody', async () => {
  const answer = await bundle();
  expect(answer.status).toBe(200);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(check('debug-bundle', answer.json())).toEqual([]);
  const { run, events, metrics } = answer.json<DebugBundle>();
  expect(run).toMatchObject({ runId: one, status: 'completed', metadata: { say: 'a *** word' } });
  expect(metrics).toEqual({ eventCount: 3, nodeCount: 1 });
  const polled = await host.request('GET', `/v1/runs/${one}/events/poll`);
  expect(events).toEqual(polled.json<{ events: object[] }>().events);
});
