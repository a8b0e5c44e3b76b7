// Each run that was asked for is there once, and no other.
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from '../calls.mjs';
import { submit, TENANTS } from '../work.mjs';

const IN_FLIGHT_MS = 75_000;

export async function checkTotals(soak) {
  const { ledger, findings } = soak;
  for (const entry of ledger.known()) await checkRepeat(soak, entry);
  const counts = {};
  for (const tenant of TENANTS) {
    const listed = await listRuns(soak, tenant);
    const wanted = new Set(
      ledger
        .known()
        .filter((entry) => entry.tenant === tenant)
        .map(({ runId }) => runId),
    );
    counts[tenant] = { asked: wanted.size, stored: listed.length };
    if (new Set(listed).size !== listed.length) findings.add('a run is listed twice', tenant);
    for (const runId of listed) if (!wanted.has(runId)) findings.add('a run that no caller asked for', runId);
    for (const runId of wanted) if (!listed.includes(runId)) findings.add('a run is not listed', runId);
  }
  const ids = ledger.known().map(({ runId }) => runId);
  if (new Set(ids).size !== ids.length) findings.add('two idempotency keys have one run');
  return counts;
}

/** The request of the beginning, sent again, names the same run; a key that a killed host held is free after a minute. */
async function checkRepeat(soak, entry) {
  const until = Date.now() + IN_FLIGHT_MS;
  while (!(await submit(soak, entry))) {
    if (Date.now() > until) return soak.findings.add('a repeated request was not answered', entry.key);
    await pause(2_000);
  }
}

async function listRuns({ calls, keys, findings }, tenant) {
  const ids = [];
  for (let cursor = ''; ; ) {
    const path = `/v1/host/touchstone/runs?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { status, text } = await calls.call('GET', path, { key: keys[tenant] });
    if (status !== 200) findings.add('runs could not be listed', `${status} ${text}`);
    const { items = [], nextCursor } = parse(text) ?? {};
    // Transitions of deployments are runs too; they are not in the ledger.
    ids.push(...items.filter(({ touchstone }) => touchstone.kind === 'eval').map(({ runId }) => runId));
    if (!nextCursor) return ids;
    cursor = nextCursor;
  }
}
