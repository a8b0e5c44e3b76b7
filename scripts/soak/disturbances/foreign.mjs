import { parse } from '../calls.mjs';

/** A tenant asks for a run of another: it gets what it gets for a run that does not exist. */
export async function foreignIds({ calls, ledger, keys, random, findings }) {
  const entry = random.pick(ledger.known().filter(({ tenant }) => tenant === 'acme'));
  if (!entry) return;
  const path = (runId) =>
    random.pick([
      `/v1/runs/${runId}`,
      `/v1/runs/${runId}/events/poll?timeout=1`,
      `/v1/runs/${runId}/eval-summary`,
      `/v1/host/touchstone/runs/${runId}/results`,
      `/v1/host/touchstone/runs/${runId}/tasks/n-1`,
    ]);
  const { status, text, lost } = await calls.call('GET', path(entry.runId), { key: keys.rival });
  if (lost || status === 429 || status === 503) return;
  if (status !== 404 || parse(text)?.error !== 'not_found')
    findings.add('a foreign run does not look absent', `${status} ${text}`);
}
