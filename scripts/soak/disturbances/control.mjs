import { setTimeout as pause } from 'node:timers/promises';
import { suiteNamed } from '../suites.mjs';
import { createRun, TENANTS } from '../work.mjs';

/** Asked for a state that is over, or not there yet. */
const TOO_LATE = new Set([409]);

async function control({ calls, keys, findings }, entry, verb) {
  const answer = await calls.call('POST', `/v1/runs/${entry.runId}${verb}`, {
    key: keys[entry.tenant],
    body: {},
  });
  const accepted = answer.lost || answer.status < 300 || [429, 503].includes(answer.status);
  if (!accepted && !TOO_LATE.has(answer.status))
    findings.add(`${verb} was refused`, `${answer.status} ${answer.text}`);
}

/** A run that takes a few seconds, as far as it has come after a while. */
async function runUnderWay(soak) {
  const entry = await createRun(soak, soak.random.pick(TENANTS), suiteNamed('slow'));
  await pause(soak.random.below(1_500));
  return entry.runId === undefined ? undefined : entry;
}

/** A caller cancels a run. */
export async function cancelRun(soak) {
  const entry = await runUnderWay(soak);
  if (!entry) return;
  entry.cancelled = true;
  await control(soak, entry, '/cancel');
}

/** A caller pauses a run and goes on with it later; if the host dies in between, at the end of the soak. */
export async function pauseRun(soak) {
  const entry = await runUnderWay(soak);
  if (!entry) return;
  entry.paused = true;
  await control(soak, entry, ':pause');
  await pause(soak.random.between(100, 3_000));
  await control(soak, entry, ':resume');
}
