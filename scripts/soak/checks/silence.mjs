// Where no content and no key may be: the lines that hosts write, the metrics, the lists.
import { CANARY } from '../agent.mjs';
import { parse } from '../calls.mjs';

/** Events of the host's log that tell of an error of the host itself. */
const ERRORS = new Set([
  'http.failed',
  'run.crashed',
  'run.abandoned',
  'stream.failed',
  'lease.failed',
  'adopt.failed',
]);
/** What a host says, for people, that cannot start while its store is away. Whether it should have started is checked there. */
const NOT_STARTED = /^error unavailable: Cannot open the store /;
const GRACE_MS = 5_000;

export async function checkSilence({ hosts, troubles, graceMs = GRACE_MS, keys, calls, findings }) {
  const counts = {};
  for (const line of hosts.log) {
    const { event = 'not JSON', time } = parse(line) ?? {};
    counts[event] = (counts[event] ?? 0) + 1;
    if (line.includes(CANARY)) findings.add('content in the log of a host', line);
    if (Object.values(keys).some((key) => line.includes(key)))
      findings.add('a key in the log of a host', line);
    if (ERRORS.has(event) && !troubles.were(graceMs, time))
      findings.add(`the log of a host has ${event}`, line);
    if (event === 'not JSON' && !NOT_STARTED.test(line))
      findings.add('the log of a host has a line that is not JSON', line);
  }
  // `calls` looks for the canary in what comes back.
  for (const path of [
    '/v1/host/touchstone/metrics',
    '/v1/agents',
    '/v1/host/touchstone/suites',
    '/v1/host/touchstone/audit',
  ])
    await calls.call('GET', path, { key: keys.acme });
  return counts;
}
