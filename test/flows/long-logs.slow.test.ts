// Goal: a tenant that reads a very long log of its own, fast, slowly or not at all, costs the host little memory and its
// neighbours nothing. Method: a host with a small heap on a store that holds more than half a gigabyte of answers of one
// run of globex; globex attacks, acme evaluates.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@touchstone/sdk';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import { openStore } from '../../packages/touchstone/src/store/index.js';
import { decided, endingCommit, leasedRun, record, step } from '../ports/store/givens.js';
import { KEY, kill, OTHER_KEY, type Serving, serve, temporaryFolder, writeProject } from './processes.js';

const ANSWERS = 140;
const ANSWER_BYTES = 4_000_000;
const EVENTS = ANSWERS * 2 + 1;
const HEAP_MB = 256;
const RUN = 'run-of-long-answers';
const OPERATOR = { key: 'test-key-of-the-operator-0123456789', tenant: 'house', roles: ['operator'] };
const GLOBEX = { tenant: 'globex', workspace: 'main' };

const folder = temporaryFolder();
const sockets: Socket[] = [];
let host: Serving;

beforeAll(async () => {
  writeProject(folder.path, 20);
  const file = join(folder.path, 'log.db');
  await writeLongLog(file);
  const config = JSON.parse(readFileSync(join(folder.path, 'touchstone.config.json'), 'utf8'));
  writeFileSync(
    join(folder.path, 'touchstone.config.json'),
    JSON.stringify({
      ...config,
      keys: [...config.keys, OPERATOR],
      store: `sqlite:${file}`,
      // The other tenant asks without a pause, and is answered thousands of times.
      limits: { requestsPerMinute: 1_000_000 },
    }),
  );
  host = await serve([], folder.path, { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await kill(host);
  folder.remove();
});

async function writeLongLog(file: string): Promise<void> {
  const store = await openStore({ file, clock: systemClock });
  const { lease } = await leasedRun(store, RUN, { owner: GLOBEX });
  const answer = 'x'.repeat(ANSWER_BYTES);
  for (let ordinal = 0; ordinal < ANSWERS; ordinal += 1) {
    const seals = [record(ordinal, 0, [decided(`t-${ordinal}`, answer)])];
    await store.log.commit(lease, { seals, entries: [step(ordinal, 1)], firstSequence: ordinal * 2 });
  }
  await store.log.commit(lease, endingCommit(ANSWERS * 2));
  await store.leases.release(lease);
  await store.close();
}

const get = (path: string, key: string) =>
  fetch(host.url + path, { headers: { authorization: `Bearer ${key}` } });

/** Follows the polls of the run from a place on, so many of them; answers the sequences it has seen. */
async function follow(from: number, most: number, onAnswer: () => void): Promise<readonly number[]> {
  const seen: number[] = [];
  let path: string | undefined = `/v1/runs/${RUN}/events/poll${from < 0 ? '' : `?lastSequence=${from}`}`;
  for (let polls = 0; path !== undefined && polls < most; polls += 1) {
    const answer = await get(path, OTHER_KEY);
    expect(answer.status).toBe(200);
    const { events } = (await answer.json()) as { events: { sequence: number }[] };
    seen.push(...events.map(({ sequence }) => sequence));
    path = /^<(.*)>/.exec(answer.headers.get('link') ?? '')?.[1];
    onAnswer();
  }
  return seen;
}

async function evaluate(): Promise<number> {
  const client = createClient({ baseUrl: host.url, key: KEY });
  const { runId } = await client.runs.create({
    mode: 'eval',
    evalSuiteRef: 'local.test.evals.numbers@1.0.0',
    agentId: 'local.test.numbers',
  });
  return (await client.waitForScorecard(runId)).passedCount;
}

it('six callers at once read a log that no text could hold, and between their pieces others are answered', async () => {
  const answered: ('globex' | 'acme')[] = [];
  let reading = true;
  const neighbour = (async () => {
    while (reading) {
      expect((await get('/v1/agents', KEY)).status).toBe(200);
      answered.push('acme');
    }
  })();
  const note = () => void answered.push('globex');
  const starts = [0, 60, 120, 180, 240];
  const [whole, ...parts] = await Promise.all([
    follow(-1, Number.POSITIVE_INFINITY, note),
    ...starts.map((from) => follow(from, 10, note)),
    evaluate(),
  ]);
  reading = false;
  await neighbour;
  expect(whole).toEqual(Array.from({ length: EVENTS }, (_, sequence) => sequence));
  expect(parts.slice(0, -1).map((seen) => (seen as readonly number[])[0])).toEqual(starts.map((n) => n + 1));
  expect(parts.at(-1)).toBe(18);
  const longestWait = Math.max(
    ...answered
      .join(' ')
      .split('acme')
      .map((stretch) => stretch.split('globex').length - 1),
  );
  expect(longestWait).toBeLessThanOrEqual(12);
});

/** Asks for something and does not read the answer. */
function connectAndIgnore(path: string, headers = ''): void {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(host.url).port) }, () =>
    socket.write(`GET ${path} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer ${OTHER_KEY}\r\n${headers}\r\n`),
  );
  socket.on('error', () => undefined).pause();
  sockets.push(socket);
}

async function metric(name: string): Promise<number> {
  const text = await (await get('/v1/host/touchstone/metrics', OPERATOR.key)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1] ?? 0,
  );
}

const residentMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.child.pid}/status`, 'utf8'))?.[1]) / 1024;

it.runIf(process.platform === 'linux')(
  'three hundred readers that do not read hold a bounded part of the memory, and others evaluate',
  async () => {
    for (let n = 0; n < 300; n += 1)
      connectAndIgnore(`/v1/runs/${RUN}/events?streamMode=debug`, `last-event-id: ${(n % ANSWERS) * 2}\r\n`);
    for (let n = 0; n < 20; n += 1) connectAndIgnore(`/v1/runs/${RUN}/events/poll?lastSequence=${n * 2}`);
    await vi.waitFor(
      async () => {
        expect(await metric('touchstone_streams_open')).toBe(256);
        expect(await metric('touchstone_unread_bytes')).toBeGreaterThan(24 * 1024 * 1024);
      },
      { timeout: 120_000 },
    );
    expect(await evaluate()).toBe(18);
    expect(await metric('touchstone_unread_bytes')).toBeLessThan(40 * 1024 * 1024);
    expect(residentMb()).toBeLessThan(HEAP_MB + 400);
  },
);
