import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, readJson } from './pack-host.js';
import { KEY } from './processes.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Goal: what goes wrong with an agent's files is told to tenants without telling them where those files are. Method: agents
// that cannot be loaded, started or read, for all reasons that name a file, and everything a tenant can read about them.

const SUITE = 'local.test.evals.one';
const suite = {
  suiteId: SUITE,
  version: '1.0.0',
  modes: ['golden'],
  tasks: [
    { taskId: 't-0', input: 'x', expected: { kind: 'golden', match: { strategy: 'exact', value: 'x' } } },
  ],
};

const MODULES = {
  'syntax.mjs': 'export default (input => input;\n',
  'throws.mjs': "throw new Error('no key in ' + import.meta.url + ' or ' + import.meta.dirname);\n",
  'imports-absent.mjs': "import './absent.mjs';\nexport default () => 1;\n",
  'imports-package.mjs': "import 'a-package-that-is-not-there';\nexport default () => 1;\n",
  'reads-absent.mjs':
    "import { readFileSync } from 'node:fs';\nreadFileSync(new URL('./absent.json', import.meta.url));\nexport default () => 1;\n",
  'no-function.mjs': 'export const agent = 1;\n',
  'breaks.ts': 'export default (input: string => input;\n',
  'fails.mjs':
    "import { readFileSync } from 'node:fs';\nexport default () => readFileSync(new URL('./absent.json', import.meta.url));\n",
  'removed.mjs': 'export default (input) => input;\n',
  'changed.mjs': 'export default (input) => input;\n',
};
const idOf = (file: string): string => `local.test.${file.replace(/\..*$/, '')}`;
const ABSENT = '/opt/touchstone-of-the-operator/bin/agent';

async function open(): Promise<WholeHost> {
  const elsewhere = mkdtempSync(join(tmpdir(), 'agents-of-the-operator-'));
  writeFileSync(join(elsewhere, 'gone.mjs'), 'export default (input) => input;\n');
  const agents = [
    ...Object.keys(MODULES).map((path) => ({
      agentId: idOf(path),
      run: { kind: 'module', path: `./${path}` },
    })),
    { agentId: 'local.test.gone', run: { kind: 'module', path: join(elsewhere, 'gone.mjs') } },
    { agentId: 'local.test.command', run: { kind: 'command', command: ABSENT } },
  ].map((agent) => ({ version: '1.0.0', ...agent }));
  const host = await openWholeHost(
    {
      keys: [{ key: KEY, tenant: 'acme', principal: 'lead', roles: ['admin'] }],
      agents,
      suites: ['.'],
    },
    { files: { ...MODULES, 'one.suite.json': JSON.stringify(suite) } },
  );
  rmSync(elsewhere, { recursive: true });
  rmSync(join(host.folder, 'removed.mjs'));
  writeFileSync(join(host.folder, 'changed.mjs'), 'export default () => 2;\n');
  return host;
}

/** Everything that a tenant can read about a run, as one text. */
async function told(host: WholeHost, runId: string): Promise<string> {
  await eventsOf(host, runId);
  const paths = [
    `/v1/runs/${runId}`,
    `/v1/runs/${runId}/events/poll`,
    `/v1/runs/${runId}/debug-bundle`,
    `/v1/runs/${runId}/eval-summary`,
    `/v1/host/touchstone/runs/${runId}/report`,
    `/v1/host/touchstone/runs/${runId}/results`,
    `/v1/host/touchstone/runs/${runId}/tasks/t-0`,
  ];
  const texts = await Promise.all(paths.map(async (path) => (await host.fetch(path)).text()));
  return texts.join('\n');
}

describe('of an agent whose files are at fault', () => {
  const agentIds = [...Object.keys(MODULES).map(idOf), 'local.test.gone', 'local.test.command'];

  it('nothing a tenant reads names a folder of the host', async () => {
    const host = await open();
    for (const agentId of agentIds) {
      const texts: string[] = [];
      for (const body of [
        { agentId, inputs: { any: 1 } },
        { mode: 'eval', evalSuiteRef: SUITE, agentId },
      ]) {
        const created = await readJson(host, '/v1/runs', { method: 'POST', body });
        texts.push(JSON.stringify(created));
        if (created.status === 201) texts.push(await told(host, created.body.runId as string));
      }
      for (const path of [
        '/v1/agents',
        `/v1/agents/${agentId}`,
        `/v1/host/touchstone/agents/${agentId}/versions`,
      ])
        texts.push(await (await host.fetch(path)).text());
      const all = texts.join('\n');
      for (const secret of [host.folder, '/opt/', '/home/', '/tmp/', process.cwd(), 'file://'])
        expect({ agentId, secret, found: all.includes(secret) ? excerpt(all, secret) : undefined }).toEqual({
          agentId,
          secret,
          found: undefined,
        });
    }
    await host.close();
  });

  it('its author still reads which file, and what is wrong with it', async () => {
    const host = await open();
    for (const [file, words] of Object.entries({
      'syntax.mjs': 'node --check syntax.mjs',
      'throws.mjs': 'throws.mjs:1',
      'imports-absent.mjs': 'absent.mjs',
      'imports-package.mjs': 'a-package-that-is-not-there',
      'reads-absent.mjs': 'reads-absent.mjs:2',
    })) {
      const body = { mode: 'eval', evalSuiteRef: SUITE, agentId: idOf(file) };
      const created = await readJson(host, '/v1/runs', { method: 'POST', body });
      const runId = created.body.runId as string;
      await eventsOf(host, runId);
      const { body: run } = await readJson(host, `/v1/runs/${runId}`);
      expect(run.error).toMatchObject({ code: 'agent_unavailable', message: expect.stringContaining(words) });
    }
    await host.close();
  });
});

const excerpt = (text: string, word: string): string => {
  const at = text.indexOf(word);
  return text.slice(Math.max(0, at - 150), at + 200);
};
