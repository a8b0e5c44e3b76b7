import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asId, type RunId } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import { openStore } from '../../packages/touchstone/src/store/index.js';
import { eventsOf, type HostClient, readJson } from './pack-host.js';
import { callsIn, KEY, kill, type Serving, serve, temporaryFolder, writeProject } from './processes.js';
import { begin, diffOf, fork } from './run-host.js';

const SUITE = 'local.test.evals.numbers';
const AGENT = 'local.test.numbers@1.0.0';

let folder: ReturnType<typeof temporaryFolder>;
const started: Serving[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const one of started.splice(0)) await kill(one);
  folder.remove();
});

const callsFile = (): string => join(folder.path, 'calls.txt');
type Started = { readonly process: Serving; readonly client: HostClient };
async function start(): Promise<Started> {
  const process = await serve([], folder.path, { CALLS: callsFile() });
  started.push(process);
  const client: HostClient = {
    fetch: (path, { method = 'GET', body } = {}) =>
      fetch(process.url + path, {
        method,
        headers: {
          authorization: `Bearer ${KEY}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
  return { process, client };
}
type Row = { readonly status: string; readonly touchstone: { readonly eventCount: number } };
const rowOf = async (client: HostClient, runId: string): Promise<Row> =>
  (await readJson(client, `/v1/runs/${runId}`)).body as unknown as Row;

/** How far a run got, while nobody serves it. */
async function lengthIn(runId: string): Promise<number> {
  const file = join(folder.path, '.touchstone/touchstone.db');
  const store = await openStore({ file, clock: systemClock });
  const run = await store.runs.get({ tenant: 'acme', workspace: 'main' }, asId<RunId>(runId));
  await store.close();
  return run?.eventCount ?? 0;
}

/** Begins a replay and kills the server once some of it is there. */
async function killedReplay({ process, client }: Started, source: string): Promise<string> {
  const replay = (await fork(client, source, { mode: 'replay' })).body.runId as string;
  while ((await rowOf(client, replay)).touchstone.eventCount === 0);
  await kill(process);
  return replay;
}

// Goal: a server that is killed in the middle of a replay leaves nothing behind that the next one could not go on with.
// Method: a log that takes many commits to copy. On a machine that copies the rest of it before the signal arrives,
// another replay is tried.
it('a replay whose server is killed is finished by the next one, and is its source', async () => {
  writeProject(folder.path, 4_000);
  const first = await start();
  const source = await begin(first.client, SUITE, { agentId: AGENT });
  const { length } = await eventsOf(first.client, source);
  const calls = callsIn(callsFile()).length;
  let replay = await killedReplay(first, source);
  for (let tries = 1; tries < 12 && (await lengthIn(replay)) === length; tries += 1)
    replay = await killedReplay(await start(), source);
  expect(await lengthIn(replay)).toBeLessThan(length);

  const { client } = await start();
  await eventsOf(client, replay);
  const row = await rowOf(client, replay);
  expect(row).toMatchObject({ status: 'completed', touchstone: { eventCount: length } });
  const diff = await diffOf(client, source, replay);
  expect(diff).toMatchObject({ divergedAtSeq: null, eventDiffs: [], stateDiff: {} });
  expect(callsIn(callsFile())).toHaveLength(calls);
  const summaries = await Promise.all(
    [source, replay].map(async (runId) => (await client.fetch(`/v1/runs/${runId}/eval-summary`)).text()),
  );
  expect(summaries[1]).toBe(summaries[0]);
});

describe('after a restart with a changed', () => {
  const edits: { readonly [what: string]: readonly [file: string, from: string, to: string] } = {
    suite: ['numbers.suite.json', '"answer 0"', '"answer zero"'],
    agent: ['agent.mjs', "'no idea'", "'no idea at all'"],
  };
  it.each(Object.keys(edits))('%s a run can be replayed and not be branched', async (what) => {
    const [file, from, to] = edits[what] as (typeof edits)[string];
    writeProject(folder.path, 12);
    const { process: first, client } = await start();
    const source = await begin(client, SUITE, { agentId: AGENT });
    await eventsOf(client, source);
    await kill(first, 'SIGTERM');
    const path = join(folder.path, file);
    const before = readFileSync(path, 'utf8');
    expect(before).toContain(from);
    writeFileSync(path, before.replace(from, to));

    const { client: next } = await start();
    const branch = await fork(next, source, { mode: 'branch', fromSeq: 0 });
    expect(branch).toMatchObject({ status: 409, body: { error: 'conflict' } });
    const replay = (await fork(next, source, { mode: 'replay' })).body.runId as string;
    await eventsOf(next, replay);
    expect(await diffOf(next, source, replay)).toMatchObject({ divergedAtSeq: null, stateDiff: {} });
  });
});
