// What a tenant gets from the host: how fast it answers a GET, and how many runs it completes a second.
import { setMaxListeners } from 'node:events';
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

const GETS_PER_SECOND = 40;
/** One key asks, each of the others creates one run at a time. */
export const KEYS_OF_A_TENANT = 5;

/**
 * Asks about the run `runId` at fixed moments, and creates runs one after the other. Whoever asks and each of those who create runs
 * has a key of its own: on a fast machine one key would reach its limit of requests by itself.
 */
export async function measureTenant({ url, keys, runId, run, tasks, seconds }) {
  const ended = new AbortController();
  setMaxListeners(0, ended.signal);
  const sockets = new Agent({ keepAlive: true });
  const sending = (key) => (path, body) => send(sockets, ended.signal, url + path, key, body);
  const [asking, ...creating] = keys;
  const startedAt = performance.now();
  const counts = { completed: 0, wrong: 0, refused: 0 };
  for (const key of creating) void runOn(sending(key), run, tasks, counts, ended.signal);
  const gets = await probe(sending(asking), runId, seconds);
  const tookMs = performance.now() - startedAt;
  ended.abort();
  sockets.destroy();
  return { ...gets, ...counts, runsPerSecond: (counts.completed * 1000) / tookMs };
}

/** Asks at fixed moments, whether or not the last answer has come, so that a host that stands still is seen in full. */
async function probe(get, runId, seconds) {
  const paths = [
    '/v1/agents',
    `/v1/runs/${runId}`,
    '/v1/host/touchstone/runs?limit=20',
    `/v1/runs/${runId}/eval-summary`,
  ];
  const asked = [];
  const startedAt = performance.now();
  for (let at = 0; at < seconds * GETS_PER_SECOND; at += 1) {
    const dueAt = startedAt + (at * 1000) / GETS_PER_SECOND;
    await pause(Math.max(0, dueAt - performance.now()));
    asked.push(timed(get(paths[at % paths.length]), dueAt));
  }
  await pause(startedAt + seconds * 1000 - performance.now());
  return latencies(asked, performance.now());
}

function timed(answer, dueAt) {
  const one = { dueAt };
  answer.then(
    ({ status }) => Object.assign(one, { status, ms: performance.now() - dueAt }),
    () => Object.assign(one, { status: 0, ms: performance.now() - dueAt }),
  );
  return one;
}

/** A GET without an answer by the end has taken at least until then; `isBound` says that p99 is only such a lower bound. */
function latencies(asked, now) {
  const sorted = asked
    .map(({ ms, dueAt, status }) => ({ ms: ms ?? now - dueAt, status }))
    .toSorted((a, b) => a.ms - b.ms);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return {
    p50: at(0.5).ms,
    p99: at(0.99).ms,
    isBound: at(0.99).status === undefined,
    unanswered: asked.filter(({ status }) => status === undefined).length,
    failed: asked.filter(({ status }) => status !== undefined && status !== 200).length,
  };
}

/** One run after the other until the measurement ends. */
async function runOn(get, run, tasks, counts, signal) {
  while (!signal.aborted) {
    try {
      const { passedCount } = await completeOne(get, run);
      if (signal.aborted) return;
      counts.completed += 1;
      if (passedCount !== tasks) counts.wrong += 1;
    } catch {
      if (signal.aborted) return;
      counts.refused += 1;
      await pause(50);
    }
  }
}

async function completeOne(get, run) {
  const { runId } = readJson(await get('/v1/runs', run));
  // The stream ends with the run.
  await get(`/v1/runs/${runId}/events`);
  return readJson(await get(`/v1/runs/${runId}/eval-summary`));
}

function readJson({ status, text }) {
  if (status >= 300) throw new Error(`${status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

const send = (agent, signal, url, key, body) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = request(url, { method: body ? 'POST' : 'GET', headers, agent, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode, text })).on('error', reject);
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
