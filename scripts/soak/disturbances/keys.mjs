import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommand } from '../command.mjs';
import { eventsOf, openStream } from '../streams.mjs';
import { suiteNamed } from '../suites.mjs';
import { createRun } from '../work.mjs';

/** docs/server.md promises five seconds; the rest is for a busy machine. */
const REVOKED_MS = 10_000;

/** A key is created, opens a stream, and is revoked: neither it nor its stream reads on. */
export async function revokedKey(soak) {
  const made = await runCommand(soak, ['keys', 'create', '--tenant', 'acme', '--role', 'runner']);
  const key = made.stdout.trim();
  if (made.code !== 0 || !key) return;
  const entry = await createRun(soak, 'acme', suiteNamed('slow'));
  const host = soak.random.pick(soak.hosts.running());
  if (!entry.runId || !host) return;
  const stream = await openStream(host, key, entry.runId, -1);
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12);
  const revoked = await runCommand(soak, ['keys', 'revoke', hash]);
  if (revoked.code === 0) await Promise.all([expectRefused(soak, key), expectEnd(soak, host, stream)]);
  stream?.destroy();
}

async function expectRefused({ calls, hosts, findings }, key) {
  const until = Date.now() + REVOKED_MS;
  for (const host of hosts.running()) {
    for (;;) {
      const { status, lost } = await calls.call('GET', '/v1/agents', { key, host });
      if (lost || status === 401) break;
      if (Date.now() > until) return findings.add('a revoked key still works');
      await pause(200);
    }
  }
}

/** The stream of a host that lives ends by itself; a run that ends or pauses in time shows nothing. */
async function expectEnd({ findings }, host, stream) {
  if (stream?.statusCode !== 200) return;
  const revokedAt = Date.now();
  for await (const { type } of eventsOf(stream, { limitMs: 2 * REVOKED_MS })) {
    if (/^run\.(completed|failed|cancelled)$/.test(type) || host.ending) return;
    if (Date.now() - revokedAt > REVOKED_MS)
      return findings.add('the stream of a revoked key reads on', type);
  }
}

/** Keys that do not exist. Those that do still work. */
export async function wrongKeys({ calls, keys, findings, random }) {
  const guesses = Array.from({ length: 30 }, () =>
    calls.call('GET', '/v1/agents', { key: `wrong-${random.below(1e9)}` }),
  );
  for (const { status, lost } of await Promise.all(guesses))
    if (!lost && ![401, 429, 503].includes(status)) findings.add('a wrong key was let in', status);
  const { status, lost } = await calls.call('GET', '/v1/agents', { key: keys.acme });
  if (!lost && ![200, 503].includes(status)) findings.add('a good key is shut out by wrong ones', status);
}
