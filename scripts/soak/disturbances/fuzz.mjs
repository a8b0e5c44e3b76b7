import { CANARY } from '../agent.mjs';
import { parse } from '../calls.mjs';

const REQUESTS = 60;
/** Nothing here leads away from this machine. */
const TEXTS = [
  '',
  'a',
  '..',
  '%00',
  'run-0',
  'é\u202e',
  '\u0000',
  `x${CANARY}`,
  'x'.repeat(5_000),
  'http://127.0.0.1:1/',
  '1.0.0',
  'local.a.b',
];
/** Without the canary: an error may name the id that it is about. */
const NAMES = ['a', '..', '%00', 'run-0', 'é\u202e', 'x'.repeat(300), 'local.a.b@1.0.0'];
const NUMBERS = [0, -1, 1.5, 1e308, 2 ** 53, 256, 100_000];
const MEMBERS = [
  'mode',
  'agentId',
  'evalSuiteRef',
  'configurable',
  'tags',
  'suiteId',
  'tasks',
  'run',
  'url',
  'runIds',
  'version',
  '__proto__',
];

/** Requests that no client would make, to every operation, with a good key, a wrong one, or none. Half-way sensible ones too. */
export async function fuzzRequests({ calls, keys, random }) {
  const { text } = await calls.call('GET', '/v1/openapi.json');
  const operations = Object.entries(parse(text ?? '')?.paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  );
  if (operations.length === 0) return;
  for (let at = 0; at < REQUESTS; at += 1) {
    const { method, path } = random.pick(operations);
    const key = random.pick([keys.fuzzer, keys.fuzzer, keys.fuzzer, 'wrong', undefined]);
    const options = { key, headers: headersOf(random), holdsContent: mayQuote(path) };
    if (method !== 'GET') options.body = random.chance(0.2) ? brokenText(random) : value(random, 0);
    await calls.call(random.chance(0.05) ? 'PATCH' : method, pathOf(random, path), options);
  }
}

/** A suite or a task that fuzz has stored is content, and so is what it wrote in an annotation. */
const mayQuote = (path) => /suites|tasks|annotations|webhooks|packs|agents|debug-bundle|events/.test(path);

const pathOf = (random, path) => {
  const filled = path.replace(/\{[^}]+\}/g, () => encodeURIComponent(random.pick(NAMES)));
  const query = `${random.pick(['limit', 'cursor', 'timeout', 'lastSequence', 'streamMode'])}=${random.pick([...NUMBERS, 'a', '%'])}`;
  return random.chance(0.3) ? `${filled}?${query}` : filled;
};

const headersOf = (random) => ({
  ...(random.chance(0.1) && { 'idempotency-key': random.pick(['k', 'k'.repeat(300)]) }),
  ...(random.chance(0.1) && { 'last-event-id': random.pick(['-1', 'x', '99999999999999999999']) }),
  ...(random.chance(0.05) && {
    'content-type': random.pick(['text/plain', 'application/json; charset=latin1']),
  }),
  ...(random.chance(0.05) && { 'content-encoding': 'gzip' }),
  // A stream would wait for events; a fuzzed one ends by itself.
  connection: 'close',
});

const brokenText = (random) =>
  random.pick([
    '',
    '{',
    '[1,',
    '"',
    'nul',
    '{"a":1}{"a":2}',
    '['.repeat(2_000),
    `{"a":"${CANARY}`,
    '\ufeff{}',
  ]);

function value(random, depth) {
  const kind = random.below(depth > 3 ? 4 : 6);
  if (kind === 0) return random.pick([null, true, false]);
  if (kind === 1) return random.pick(NUMBERS);
  if (kind <= 3) return random.pick(TEXTS);
  const size = random.below(5);
  if (kind === 4) return Array.from({ length: size }, () => value(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length: size }, () => [random.pick(MEMBERS), value(random, depth + 1)]),
  );
}
