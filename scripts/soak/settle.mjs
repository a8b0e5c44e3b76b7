// After the last disturbance: everything that was begun comes to its end.
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from './calls.mjs';
import { runCommand } from './command.mjs';
import { lookAtOpenRuns, submit } from './work.mjs';

const SETTLE_MS = 120_000;

export async function settle(soak, settleMs = SETTLE_MS) {
  const { hosts, ledger, findings } = soak;
  await Promise.all(
    hosts
      .slots()
      .filter((slot) => !hosts.isUp(slot))
      .map(hosts.start),
  );
  const until = Date.now() + settleMs;
  await repeatUntil(until, async () => {
    for (const entry of ledger.runs) if (!entry.runId) await submit(soak, entry);
    return ledger.runs.every(({ runId }) => runId);
  });
  await repeatUntil(until, async () => {
    for (const entry of ledger.open()) await resume(soak, entry);
    await lookAtOpenRuns(soak);
    return ledger.open().length === 0;
  });
  for (const { key, tenant } of ledger.runs.filter(({ runId }) => !runId))
    findings.add('a run could not be created', `${tenant} ${key}`);
  for (const { runId, suite } of ledger.open()) findings.add('a run did not end', `${runId} of ${suite}`);
}

async function repeatUntil(until, isDone) {
  while (!(await isDone()) && Date.now() < until) await pause(500);
}

async function resume({ calls, keys }, entry) {
  const key = keys[entry.tenant];
  const { status, text } = await calls.call('GET', `/v1/runs/${entry.runId}`, { key });
  if (status === 200 && parse(text).status === 'paused')
    await calls.call('POST', `/v1/runs/${entry.runId}:resume`, { key, body: {} });
}

/** Runs of the command line that were killed go on when they are asked to. */
export async function resumeCommands(soak) {
  const { findings, agent, commands } = soak;
  const { stdout } = await runCommand(soak, ['runs', '--limit', '1000', '--json']);
  for (const { runId, status } of itemsOf(stdout)) {
    commands.runs += 1;
    if (!['pending', 'running'].includes(status)) continue;
    const args = ['run', '--resume', runId, '--agent', agent.url, '--json'];
    const { code, stdout: result } = await runCommand(soak, args);
    if (![0, 1].includes(code)) findings.add('a run of the command line did not go on', `${code} ${result}`);
    else commands.resumed += 1;
  }
}

const itemsOf = (stdout) => {
  const document = parse(stdout);
  return document?.items ?? document?.runs ?? [];
};
