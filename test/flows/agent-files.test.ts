import { existsSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  AGENT,
  answer,
  clerkSuite,
  move,
  peopled,
  recordOf,
  SUITE,
  stage,
  type TransitionAnswer,
} from './deployment-host.js';
import { eventsOf, payloadsOf, readJson } from './pack-host.js';
import { begin, finish, finishPlain } from './run-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Goal: what is promoted is what was evaluated, and what serves is what was promoted. Method: files of an agent are swapped
// at every moment between, on a whole host. Programs are JavaScript, whatever their names say, so that Node can run them.

const hosts: WholeHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

const GATE = { agentId: '*', to: 'active', requiredEval: { suite: SUITE, requiredPassScore: 0.5 } };
type Files = { readonly [name: string]: string };

async function opened(agent: object, files: Files, gate: object = GATE): Promise<WholeHost> {
  const config = peopled({
    agents: [{ agentId: AGENT, version: '1.0.0', ...agent }],
    suites: ['./evals'],
    gates: [gate],
  });
  const suite = clerkSuite({}, 4);
  const host = await openWholeHost(config, {
    files: { ...files, 'evals/clerk.suite.json': JSON.stringify(suite) },
  });
  hosts.push(host);
  return host;
}
const write = (host: WholeHost, name: string, content: string): void =>
  writeFileSync(join(host.folder, name), content);
const evaluated = (host: WholeHost): Promise<string> => finish(host, SUITE, { agentId: `${AGENT}@1.0.0` });
const offer = (host: WholeHost, evalRunId: string): Promise<TransitionAnswer> =>
  move(host, '1.0.0', { toState: 'active', channel: 'stable', evalRunId });
const served = (host: WholeHost) =>
  readJson(host, '/v1/runs', {
    method: 'POST',
    body: { agentId: `${AGENT}@stable`, inputs: { say: 'hello' } },
  });
const failureOf = async (host: WholeHost, runId: string) =>
  payloadsOf(await eventsOf(host, runId), 'run.failed')[0]?.error as { code: string } | undefined;
const untilThere = (host: WholeHost, name: string): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!existsSync(join(host.folder, name))) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(host.folder, look);
    look();
  });

const command = (...args: string[]) => ({ kind: 'command', command: process.execPath, args });

/** What Python would import stands in a comment, where it is found too; Node takes the same file. */
const PYTHON = {
  'bot.py': `/*
import helper
*/
const { input } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify({ output: require('./helper.py')(input) }));
`,
  'helper.py': 'module.exports = (input) => input.say;\n',
};
const EVIL_HELPER = "module.exports = () => 'EVIL';\n";

it('a module of Python beside the program cannot be swapped after the evaluation', async () => {
  const host = await opened({ run: command('bot.py') }, PYTHON);
  const evalRunId = await evaluated(host);
  await stage(host, '1.0.0');
  write(host, 'helper.py', EVIL_HELPER);
  await stage(host, '1.0.0');
  expect(await offer(host, evalRunId)).toMatchObject({
    status: 403,
    body: { details: { reason: 'agent_changed' } },
  });
  write(host, 'helper.py', PYTHON['helper.py']);
  await stage(host, '1.0.0');
  expect(await offer(host, evalRunId)).toMatchObject({ status: 200 });
});

it('nor while it serves', async () => {
  const host = await opened({ run: command('bot.py') }, PYTHON);
  await stage(host, '1.0.0');
  expect(await offer(host, await evaluated(host))).toMatchObject({ status: 200 });
  expect(await served(host)).toMatchObject({ status: 201 });
  write(host, 'helper.py', EVIL_HELPER);
  expect(await served(host)).toMatchObject({
    status: 400,
    body: { error: 'no_active_deployment', details: { reason: 'agent_changed' } },
  });
});

const READS_PROMPT = {
  'agent.mjs': `import { readFileSync } from 'node:fs';
const prompt = new URL('./prompt.txt', import.meta.url);
export default (input) => (readFileSync(prompt, 'utf8') === 'good' ? input.say : 'EVIL');
`,
  'prompt.txt': 'good',
};
const READER = { kind: 'module', path: './agent.mjs' };

it('a file that the entry lists cannot be swapped either', async () => {
  const host = await opened({ run: READER, files: ['prompt.txt'] }, READS_PROMPT);
  const evalRunId = await evaluated(host);
  await stage(host, '1.0.0');
  write(host, 'prompt.txt', 'evil');
  await stage(host, '1.0.0');
  expect(await offer(host, evalRunId)).toMatchObject({
    status: 403,
    body: { details: { reason: 'agent_changed' } },
  });
});

/** Waits in its first task until the test says so, and then answers as its file said when it was started. */
const waiting = (answer: string): string => `
const fs = require('node:fs');
const { input } = JSON.parse(fs.readFileSync(0, 'utf8'));
const reply = () => process.stdout.write(JSON.stringify({ output: ${answer} }));
if (input.say.endsWith(' 0') && !fs.existsSync('go')) {
  const watcher = fs.watch('.', (_, name) => {
    if (name !== 'go') return;
    watcher.close();
    reply();
  });
  fs.writeFileSync('started', '');
} else reply();
`;
const BAD = waiting("'wrong'");
const GOOD = waiting('input.say');

async function swapDuring(swaps: readonly string[]): Promise<{ host: WholeHost; runId: string }> {
  const host = await opened({ run: command('bot.cjs') }, { 'bot.cjs': BAD });
  await stage(host, '1.0.0');
  const runId = await begin(host, SUITE, { agentId: `${AGENT}@1.0.0`, configurable: { concurrency: 1 } });
  await untilThere(host, 'started');
  for (const content of swaps) write(host, 'bot.cjs', content);
  write(host, 'go', '');
  await eventsOf(host, runId);
  return { host, runId };
}

it('a program that is swapped during its evaluation has not been evaluated', async () => {
  const { host, runId } = await swapDuring([GOOD]);
  write(host, 'bot.cjs', BAD);
  expect(await failureOf(host, runId)).toMatchObject({ code: 'agent_changed' });
  expect((await readJson(host, `/v1/runs/${runId}/eval-summary`)).status).toBe(404);
  expect(await offer(host, runId)).toMatchObject({
    status: 403,
    body: { details: { reason: 'not_completed' } },
  });
  expect(await recordOf(host, '1.0.0')).toMatchObject({ state: 'staged' });
});

it('and one that is swapped and put back before anybody looks has not either', async () => {
  const { host, runId } = await swapDuring([GOOD, BAD]);
  expect(await failureOf(host, runId)).toMatchObject({ code: 'agent_changed' });
});

it('a file that a module reads is looked at again when the run ends', async () => {
  const agent = `import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
const file = (name) => new URL('./' + name, import.meta.url);
const readPrompt = () => readFileSync(file('prompt.txt'), 'utf8');
export default (input) => {
  if (!input.say.endsWith(' 0') || existsSync(file('go'))) return readPrompt() === 'good' ? input.say : 'no';
  return new Promise((resolve) => {
    const watcher = watch(file('.'), (_, name) => {
      if (name === 'go') { watcher.close(); resolve('no'); }
    });
    writeFileSync(file('started'), '');
  });
};
`;
  const host = await opened(
    { run: READER, files: ['prompt.txt'] },
    { 'agent.mjs': agent, 'prompt.txt': 'evil' },
  );
  const runId = await begin(host, SUITE, { agentId: `${AGENT}@1.0.0`, configurable: { concurrency: 1 } });
  await untilThere(host, 'started');
  write(host, 'prompt.txt', 'good');
  write(host, 'go', '');
  expect(await failureOf(host, runId)).toMatchObject({ code: 'agent_changed' });
  // The next run has the files as they are now.
  const next = await evaluated(host);
  expect((await readJson(host, `/v1/runs/${next}/eval-summary`)).body).toMatchObject({ passed: true });
});

it('a run that shares an agent with others is not blamed for what was written before it began', async () => {
  const host = await opened({ run: command('bot.cjs') }, { 'bot.cjs': GOOD });
  const first = await begin(host, SUITE, { agentId: `${AGENT}@1.0.0`, configurable: { concurrency: 1 } });
  await untilThere(host, 'started');
  write(host, 'bot.cjs', GOOD);
  const single = await finishPlain(host, { agentId: `${AGENT}@1.0.0`, inputs: { say: 'hello' } });
  expect((await readJson(host, `/v1/runs/${single}`)).body).toMatchObject({ status: 'completed' });
  write(host, 'go', '');
  expect(await failureOf(host, first)).toMatchObject({ code: 'agent_changed' });
});

const SHELL = { 'bot.sh': `exec "${process.execPath}" other.cjs\n`, 'other.cjs': GOOD, go: '' };
const shell = { kind: 'command', command: '/bin/sh', args: ['bot.sh'] };

it('an agent whose program has files that are not followed is promoted with a warning', async () => {
  const host = await opened({ run: shell }, SHELL, {
    ...GATE,
    approval: { requiredRole: 'approver' },
  });
  const evalRunId = await evaluated(host);
  expect((await readJson(host, `/v1/runs/${evalRunId}`)).body.touchstone).toMatchObject({
    filesNotFollowed: true,
  });
  await stage(host, '1.0.0');
  const asked = await host.fetch(`/v1/agents/${AGENT}/deployments`, {
    method: 'POST',
    body: { version: '1.0.0', transition: 'promote', evalRunId },
  });
  expect([asked.status, asked.headers.get('touchstone-warning')]).toEqual([202, 'files_not_followed']);
  const runId = asked.headers.get('touchstone-run-id') as string;
  const [question] = payloadsOf(
    (await readJson(host, `/v1/runs/${runId}/events/poll?timeout=1`)).body.events as never,
    'interrupt.requested',
  );
  expect(question?.data).toMatchObject({ filesNotFollowed: true });
  expect(await answer(host, runId, 'ann')).toMatchObject({ body: { status: 'completed' } });
});

it('a gate may refuse such an agent until its files are listed', async () => {
  const requiredEval = { ...GATE.requiredEval, requireFollowedFiles: true };
  const gate = { ...GATE, requiredEval };
  const open = await opened({ run: shell }, SHELL, gate);
  await stage(open, '1.0.0');
  expect(await offer(open, await evaluated(open))).toMatchObject({
    status: 403,
    body: { details: { reason: 'files_not_followed' } },
  });
  const listed = await opened({ run: shell, files: ['other.cjs'] }, SHELL, gate);
  await stage(listed, '1.0.0');
  expect(await offer(listed, await evaluated(listed))).toMatchObject({ status: 200 });
});
