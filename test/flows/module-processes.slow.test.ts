// Goal: what the code of a module agent does to its memory or its processor ends that agent's process, and not the host.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@touchstone/sdk';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readJson } from './pack-host.js';
import { KEY, kill, OTHER_KEY, serve, temporaryFolder } from './processes.js';
import { openWholeHost } from './whole-host.js';

const golden = (taskId: string, input: unknown) => ({
  taskId,
  input,
  expected: { kind: 'golden', match: { strategy: 'exact', value: 'fine' } },
});
const suiteOf = (tenant: string, ...inputs: readonly unknown[]) => ({
  suiteId: `local.${tenant}.evals.memory`,
  version: '1.0.0',
  modes: ['golden'],
  tasks: inputs.map((input, index) => golden(`t-${index}`, input)),
});
const AGENT_ID = 'local.test.hungry';
const HUNGRY = `export default (input) => {
  const all = [];
  while (input === 'all') all.push(0.5);
  return 'fine';
};
`;

it('a task that makes a module use all memory fails, and the runs of both tenants complete', async () => {
  const run = { kind: 'module', path: './hungry.mjs', memoryMb: 256 };
  const agents = [{ agentId: AGENT_ID, version: '1.0.0', run }];
  const host = await openWholeHost({ agents }, { files: { 'hungry.mjs': HUNGRY } });
  onTestFinished(() => host.close());
  const start = async (key: string, tenant: string, ...inputs: readonly unknown[]) => {
    const client = host.client(key);
    await client.suites.install(suiteOf(tenant, ...inputs) as never);
    const evalSuiteRef = `local.${tenant}.evals.memory@1.0.0`;
    const { runId } = await client.runs.create({ mode: 'eval', evalSuiteRef, agentId: AGENT_ID } as never);
    return async () => {
      await client.waitForScorecard(runId as never);
      return (await readJson(host, `/v1/runs/${runId}/eval-summary`, { key })).body;
    };
  };
  const attack = await start(OTHER_KEY, 'globex', 'little', 'all', 'little');
  const victim = await start(KEY, 'acme', 'little', 'little');
  expect(await victim()).toMatchObject({ passedCount: 2 });
  expect(await attack()).toMatchObject({ passedCount: 2, tasks: [{ score: 1 }, { score: 0 }, { score: 1 }] });
});

it('the process of a module ends with a host that is killed, also when its code never pauses', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const sign = join(folder.path, 'pid');
  const spinning = `import { renameSync, writeFileSync } from 'node:fs';
export default () => {
  writeFileSync('pid.new', String(process.pid));
  renameSync('pid.new', 'pid');
  for (;;);
};
`;
  writeFileSync(join(folder.path, 'spinning.mjs'), spinning);
  const agents = [{ agentId: AGENT_ID, version: '1.0.0', run: { kind: 'module', path: './spinning.mjs' } }];
  const keys = [{ key: KEY, tenant: 'acme', roles: ['admin'] }];
  writeFileSync(join(folder.path, 'touchstone.config.json'), JSON.stringify({ agents, keys }));
  const serving = await serve([], folder.path);
  const client = createClient({ baseUrl: serving.url, key: KEY });
  // It is there before a run needs it.
  await vi.waitFor(() => expect(childrenOf(serving.child.pid)).toHaveLength(1), { timeout: 60_000 });
  const [ready] = childrenOf(serving.child.pid);
  await client.runs.create({ agentId: AGENT_ID, inputs: {} } as never);
  await vi.waitFor(() => expect(existsSync(sign)).toBe(true), { timeout: 60_000 });
  const pid = Number(readFileSync(sign, 'utf8'));
  expect(pid).toBe(ready);
  expect(isAlive(pid)).toBe(true);
  await kill(serving);
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
});

it('a process that waits for an agent ends with its host, killed or stopped', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  writeFileSync(join(folder.path, 'fine.mjs'), "export default () => 'fine';\n");
  const agents = [{ agentId: AGENT_ID, version: '1.0.0', run: { kind: 'module', path: './fine.mjs' } }];
  const keys = [{ key: KEY, tenant: 'acme', roles: ['admin'] }];
  writeFileSync(join(folder.path, 'touchstone.config.json'), JSON.stringify({ agents, keys }));
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const serving = await serve([], folder.path);
    await vi.waitFor(() => expect(childrenOf(serving.child.pid)).toHaveLength(1), { timeout: 60_000 });
    const [ready = 0] = childrenOf(serving.child.pid);
    await kill(serving, signal);
    await vi.waitFor(() => expect(isAlive(ready)).toBe(false), { timeout: 60_000 });
  }
});

const childrenOf = (pid = 0): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
