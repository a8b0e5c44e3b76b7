// Every request of the soak, and what must be true of every answer.
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { CANARY } from './agent.mjs';

const UNANSWERED_MS = 60_000;
const STACK = /\n\s+at |\.(?:js|ts|mjs):\d+:\d+/;
/** Documented in docs/errors.md: what the host may answer although the caller did nothing wrong. */
const MAY_FAIL = { 501: ['capability_not_provided'], 503: ['unavailable'] };
/** Reasons of a 503 that no disturbance of this script explains. */
const NEVER = new Set(['damaged', 'foreign', 'newer', 'unreachable']);

/** `expected` are reasons of a 503 that a disturbance explains although they are among those. */
export function createCalls({ findings, random, hosts, expected = [] }) {
  const statuses = new Map();
  const reasons = new Map();
  const count = (map, what) => map.set(what, (map.get(what) ?? 0) + 1);

  /**
   * One request to a host, any host without `host`. Answers `{ lost: true }` when there is no answer because a host was killed.
   * `holdsContent` says that the answer, unless it is an error, may hold what agents and suites say.
   */
  const call = async (
    method,
    path,
    { key, body, headers, host = random.pick(hosts.running()), holdsContent } = {},
  ) => {
    if (!host) return { lost: true };
    const what = `${method} ${path.split('?')[0]}`;
    try {
      const answer = await send(host.url + path, method, { key, body, headers });
      count(statuses, answer.status);
      inspect(what, answer, holdsContent && answer.status < 400);
      return answer;
    } catch (error) {
      if (error.message === 'unanswered') findings.add('a request was not answered for a minute', what);
      else await explainLoss(host, what, error);
      return { lost: true };
    }
  };

  const inspect = (what, { status, text }, holdsContent) => {
    if (STACK.test(text) && !holdsContent) findings.add('a stack trace in an answer', `${what}: ${text}`);
    if (text.includes(CANARY) && !holdsContent)
      findings.add('content in an answer without content', `${what}: ${text}`);
    if (status < 500) return;
    const { error, details } = parse(text) ?? {};
    if (!MAY_FAIL[status]?.includes(error)) findings.add(`a ${status}`, `${what}: ${text}`);
    if (status === 503) count(reasons, details?.reason ?? 'shutting down');
    if (NEVER.has(details?.reason) && !expected.includes(details.reason))
      findings.add(`the store is ${details.reason}`, what);
  };

  /** A connection may be lost with its host only. */
  const explainLoss = async (host, what, error) => {
    await pause(1_000);
    if (!host.ending && host.child.exitCode === null)
      findings.add('a living host dropped a connection', `${what}: ${error.code ?? error.message}`);
  };

  return { call, statuses, reasons };
}

export function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends text as it is and anything else as JSON, over a connection of its own. */
function send(url, method, { key, body, headers = {} }) {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      agent: false,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    sent.setTimeout(UNANSWERED_MS, () => sent.destroy(new Error('unanswered')));
    sent.on('error', reject);
    sent.on('response', (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part)).on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          text: Buffer.concat(parts).toString('utf8'),
        }),
      );
    });
    sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  });
}
