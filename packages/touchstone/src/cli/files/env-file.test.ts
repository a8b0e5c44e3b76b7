import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openTestCli, type TestCli } from '../testing/test-cli.js';

let cli: TestCli;
afterEach(() => cli.close());

const SUITE = {
  suiteId: 'local.acme.evals.env',
  version: '1.0.0',
  modes: ['golden'],
  tasks: [
    {
      taskId: 't',
      input: 'x',
      expected: { kind: 'golden', match: { strategy: 'exact', value: 'from-file' } },
    },
  ],
};
const command = (env: object) => ({
  kind: 'command',
  command: process.execPath,
  args: ['-e', 'console.log(JSON.stringify({ output: process.env.WORD ?? null }))'],
  ...env,
});

function open(run: object, env: { [name: string]: string } = {}) {
  cli = openTestCli({ env });
  cli.write('evals.suite.json', SUITE);
  cli.write('touchstone.config.json', { agents: [{ agentId: 'local.acme.env', version: '1.0.0', run }] });
  return (...options: string[]) => cli.run('run', 'evals.suite.json', ...options);
}

it('a .env beside the configuration is read, and how many variables it has is told', async () => {
  const run = open(command({ env: { WORD: '${THE_WORD}' } }));
  cli.write('.env', '# words\nTHE_WORD="from-file"\nOTHER=canary-other-value\n');
  const { code, out, err } = await run();
  expect([code, err]).toEqual([0, expect.stringContaining('2 variables read from .env\n')]);
  expect(out + err).not.toContain('canary-other-value');
});

it('the real environment goes before files, and a later file before an earlier one', async () => {
  const run = open(command({ env: { WORD: '${A:-}${B:-}' } }), { A: 'from' });
  cli.write('one.env', 'A=no\nB=no\n');
  cli.write('two.env', 'B=-file\n');
  const { code, err } = await run('--env-file', 'one.env', '--env-file', 'two.env');
  expect([code, err]).toEqual([0, expect.stringContaining('2 variables read from one.env, two.env')]);
});

it('no file is read with --no-env-file, and what is not set is named', async () => {
  const run = open(command({ env: { WORD: '${THE_WORD}' } }));
  cli.write('.env', 'THE_WORD=from-file');
  const { code, err } = await run('--no-env-file');
  expect(code).toBe(2);
  expect(err).toContain('THE_WORD, which is not set');
  expect((await run()).code).toBe(0);
});

it('a file that is not there is an error of the command line', async () => {
  const run = open(command({}));
  expect(await run('--env-file', 'absent.env')).toMatchObject({
    code: 2,
    err: expect.stringContaining('absent.env'),
  });
});

it('an entry that lacks a variable is in the way of nothing else, and doctor tells of it', async () => {
  cli = openTestCli();
  cli.write('evals.suite.json', SUITE);
  cli.write('script.json', { otherwise: { output: 'from-file' } });
  cli.write('touchstone.config.json', {
    providers: { far: { kind: 'openai-compatible', baseUrl: '${FAR_URL}' } },
    tools: [{ toolId: 'local:t', kind: 'http', url: 'http://127.0.0.1/', headers: { a: '${TOOL_KEY}' } }],
    mcpServers: { files: { command: '${FILES_SERVER}' } },
    agents: [
      { agentId: 'local.acme.fine', version: '1.0.0', run: { kind: 'scripted', path: 'script.json' } },
      { agentId: 'local.acme.unset', version: '1.0.0', run: { kind: 'http', url: '${DESK_URL}' } },
      {
        agentId: 'local.acme.tooled',
        version: '1.0.0',
        toolAllowlist: ['local:t'],
        run: { kind: 'scripted', path: 'script.json' },
      },
      {
        agentId: 'local.acme.chat',
        version: '1.0.0',
        run: { kind: 'openai', provider: 'far', model: 'm' },
      },
    ],
  });
  const run = (agent: string) => cli.run('run', 'evals.suite.json', '--agent', `local.acme.${agent}`);
  expect(await run('fine')).toMatchObject({ code: 0 });
  expect(await run('unset')).toMatchObject({ code: 2, err: expect.stringContaining('DESK_URL') });
  expect(await run('tooled')).toMatchObject({ code: 2, err: expect.stringContaining('TOOL_KEY') });
  expect(await run('chat')).toMatchObject({ code: 2, err: expect.stringContaining('FAR_URL') });
  const { out } = await cli.run('doctor');
  for (const name of ['DESK_URL', 'FAR_URL', 'FILES_SERVER', 'TOOL_KEY']) expect(out).toContain(name);
});

it('passEnv hands variables to a program, and one that is missing there is hinted at', async () => {
  const run = open(command({ passEnv: ['WO*'] }));
  cli.write('.env', 'WORD=from-file');
  expect((await run()).code).toBe(0);
  cli.close();
  const dies = open(command({ args: ['-e', 'throw new Error("no SHOP_API_KEY")'] }));
  const { out } = await dies('--bodies');
  expect(out).toContain('passEnv');
});

it('a verb of a host reads the address of its store from the file that it is told of, says nothing of it, and reads no .env', async () => {
  cli = openTestCli({ env: {} });
  cli.write('touchstone.config.json', { store: 'env:STORE_OF_TEST' });
  cli.write('.env', 'STORE_OF_TEST=sqlite:wrong.db\n');
  cli.write('secrets.env', 'STORE_OF_TEST=sqlite:right.db\n');
  const without = await cli.run('keys', 'create');
  expect([without.code, without.err]).toEqual([2, expect.stringContaining('STORE_OF_TEST')]);
  const made = await cli.run('keys', 'create', '--env-file', 'secrets.env');
  expect([made.code, made.err]).toEqual([0, expect.not.stringContaining('read from')]);
  expect(await cli.run('keys', 'list', '--env-file', 'secrets.env', '--json')).toMatchObject({ code: 0 });
  expect([existsSync(join(cli.cwd, 'right.db')), existsSync(join(cli.cwd, 'wrong.db'))]).toEqual([
    true,
    false,
  ]);
});
