import { setTimeout as pause } from 'node:timers/promises';
import { eventsOf, openStream } from '../streams.mjs';
import { suiteNamed } from '../suites.mjs';
import { createRun } from '../work.mjs';

const READ_MS = 20_000;

/** A reader follows a run slowly, on another host when its own dies, and gets every event once and in order. */
export async function slowReader({ ledger, hosts, keys, random, findings }) {
  const entry = random.pick(ledger.open());
  if (!entry) return;
  const delayMs = random.between(1, 200);
  const until = Date.now() + READ_MS;
  for (let last = -1; Date.now() < until; await pause(200)) {
    const host = random.pick(hosts.running());
    const response = host && (await openStream(host, keys[entry.tenant], entry.runId, last));
    if (response?.statusCode !== 200) continue;
    for await (const { sequence, type } of eventsOf(response, { delayMs, limitMs: until - Date.now() })) {
      if (sequence !== last + 1)
        findings.add('a reader got another event than the next', `${last}, ${sequence}`);
      last = sequence;
      if (/^run\.(completed|failed|cancelled)$/.test(type)) return;
    }
  }
}

/** Readers open a large log, take nothing of it, and go away after a while. */
export async function stalledReaders({ ledger, hosts, keys, random }) {
  const entry = random.pick(ledger.known());
  const host = random.pick(hosts.running());
  if (!entry || !host) return;
  const streams = Array.from({ length: 20 }, () => openStream(host, keys[entry.tenant], entry.runId, -1));
  await pause(random.between(500, 5_000));
  for (const response of await Promise.all(streams)) response?.destroy();
}

/** A run with large answers, and a few callers who ask for its whole log at once. */
export async function largeAnswers(soak) {
  const entry = await createRun(soak, soak.random.pick(['acme', 'rival']), suiteNamed('large'));
  if (!entry.runId) return;
  const path = `/v1/runs/${entry.runId}/events/poll?timeout=1`;
  const options = { key: soak.keys[entry.tenant], holdsContent: true };
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 6 }, () => soak.calls.call('GET', path, options)));
    await pause(300);
  }
}
