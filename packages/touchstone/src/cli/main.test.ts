import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestCli, type TestCli } from './testing/test-cli.js';

let desk: TestCli;
beforeEach(() => {
  desk = openTestCli();
});
afterEach(() => desk.close());

const write = (name: string, text: string): void => {
  mkdirSync(join(desk.cwd, name, '..'), { recursive: true });
  writeFileSync(join(desk.cwd, name), text);
};

const suite = (tasks: { readonly [taskId: string]: string }, more: object = {}): string =>
  JSON.stringify({
    suiteId: 'local.test.evals.one',
    version: '1.0.0',
    modes: ['golden'],
    tasks: Object.entries(tasks).map(([taskId, value]) => ({
      taskId,
      input: { say: taskId },
      expected: { kind: 'golden', match: { strategy: 'exact', value } },
    })),
    ...more,
  });
const ECHO = 'export default (input) => input.say;';

describe('the command line', () => {
  test('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await desk.run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  test('shows help to whoever types only its name', async () => {
    const { code, out } = await desk.run();
    expect(code).toBe(0);
    for (const verb of [
      'init',
      'run',
      'serve',
      'validate',
      'pack',
      'runs',
      'show',
      'rejudge',
      'judge',
      'keys',
      'doctor',
    ])
      expect(out).toContain(`  ${verb}`);
  });

  test.each([
    [['rnu'], 'Did you mean run?'],
    [['run', '--agnt', 'x'], 'Did you mean --agent?'],
    [['run'], 'Which suite?'],
    [['run', 'nope.yaml'], 'no file, folder or suite called nope.yaml'],
    [['run', 'x', '--repeats', '0'], 'whole number from 1 to 100'],
    [['run', 'x', '--budget', 'lots'], 'US dollars'],
    [['validate'], "missing required argument 'paths'"],
    [['pack', 'sign', 'x.tgz'], "required option '--key <file>'"],
    [['pack', 'biuld', 'x'], 'Did you mean build?'],
    [['pack', 'install', 'x', '--host', 'nope'], 'There is no pack at x.'],
    [['show', 'run-nope'], 'There is no run run-nope here.'],
    [['show', 'last'], 'There is no run here yet.'],
    [['show'], 'There is no run here yet.'],
    [['runs', '--status', 'done'], 'Allowed choices are pending, running'],
    [['keys', 'create', '--role', 'boss'], 'Known: admin, runner, releaser'],
    [['rejudge', 'last'], 'There is no run here yet.'],
    [['rejudge', 'last', '--votes', '26'], 'whole number from 1 to 25'],
    [['judge', 'chekc', 'x'], 'Did you mean check?'],
    [['judge', 'check', 'x', '--min-kappa', '2'], 'number from -1 to 1'],
    [['keys', 'revoke', 'zz'], 'hex digits'],
    [['serve', '--bind', '0.0.0.0'], 'this machine only'],
    [['run', 'x', '--host', 'http://127.0.0.1:1'], 'TOUCHSTONE_KEY holds no API key'],
    [['run', 'x', '--host', 'localhost:8787'], '--host https://evals.example'],
    [['help', 'frob'], 'There is no verb frob.'],
    [['help', 'rnu'], 'Did you mean run or runs?'],
    [['runs', '--data', 'typo'], 'Nothing is kept in typo'],
    [['show', 'last', '--data', 'typo'], 'Nothing is kept in typo'],
    [['run', '--resume', '--data', 'typo'], 'Nothing is kept in typo'],
    [['validate', 'nope'], 'e.g. touchstone validate evals'],
    [['runs', '--config', 'nope.yaml'], 'touchstone init'],
    [['run', 'x', '--watch', '--host', 'http://x'], 'Leave one of the two out'],
  ])('%j is refused with a hint and exit code 2', async (argv, hint) => {
    const { code, out, err } = await desk.run(...argv);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(hint);
    expect(err).not.toMatch(/\n\s+at /);
    expect(existsSync(join(desk.cwd, 'typo'))).toBe(false);
  });

  test.each([
    [['frob'], "unknown command 'frob'"],
    [['run', 'x', '--frob'], "unknown option '--frob'"],
    [['run', 'x', '--repeats', '0'], 'whole number from 1 to 100'],
    [['pack'], 'A verb is missing.'],
    [['runs', '--data', 'typo'], 'Nothing is kept in typo'],
  ])('%j with --json is told as one document', async (argv, words) => {
    const { code, out } = await desk.run(...argv, '--json');
    expect([code, JSON.parse(out)]).toEqual([
      2,
      { exitCode: 2, error: { code: 'cli_error', message: expect.stringContaining(words) } },
    ]);
  });

  test('a password in an address is never repeated', async () => {
    const person = openTestCli({ cwd: desk.cwd, env: { TOUCHSTONE_KEY: 'k', TOUCHSTONE_DEBUG: '1' } });
    const host = ['--host', 'http://ann:hunter2@127.0.0.1:1/?token=hunter2'];
    for (const argv of [
      ['run', 'x', ...host],
      ['pack', 'install', '.', ...host],
    ]) {
      const { code, out, err } = await person.run(...argv, '--json');
      expect(code).toBe(2);
      expect(out + err).not.toContain('hunter2');
    }
  });

  test('looking where nothing is kept leaves nothing behind', async () => {
    expect(await desk.run('runs', '--json')).toMatchObject({ code: 0, out: '{\n  "items": []\n}\n' });
    expect((await desk.run('keys', 'list')).out).toContain('There are no keys here.');
    await desk.run('show', 'last');
    await desk.run('run', '--resume');
    expect(existsSync(join(desk.cwd, '.touchstone'))).toBe(false);
  });
});

describe('a new project', () => {
  test('passes as it was written, is listed and can be looked at', async () => {
    expect((await desk.run('init')).out).toContain('touchstone run evals/first.suite.yaml');
    const run = await desk.run('run', 'evals/first.suite.yaml', '--json');
    expect(run.code).toBe(0);
    const document = JSON.parse(run.out);
    expect(document).toMatchObject({
      status: 'completed',
      exitCode: 0,
      unscored: [],
      suite: { ref: 'local.demo.evals.first@1.0.0' },
    });
    expect(document.summary).toMatchObject({ passed: true, taskCount: 5, passedCount: 5 });

    expect((await desk.run('runs')).out).toContain(document.runId);
    expect((await desk.run('show', 'last')).out).toContain('PASS');
    const task = await desk.run('show', document.runId, '--task', 'order-status', '--bodies');
    expect(task.out).toContain('shop:orders.get ok');
    expect(task.out).toContain('1042');
    expect((await desk.run('doctor')).code).toBe(0);
    expect((await desk.run('validate', 'evals')).code).toBe(0);
  });

  test('is not written over another', async () => {
    write('agent.mjs', 'mine');
    const { code, err } = await desk.run('init');
    expect(code).toBe(2);
    expect(err).toContain('agent.mjs');
    expect(readFileSync(join(desk.cwd, 'agent.mjs'), 'utf8')).toBe('mine');
    expect(existsSync(join(desk.cwd, 'touchstone.config.json'))).toBe(false);
  });
});

describe('a run', () => {
  test('that misses its bar ends with 1, and shows no content on a pipe', async () => {
    write('one.suite.json', suite({ good: 'good', bad: 'something secret' }));
    write('echo.mjs', ECHO);
    const { code, out } = await desk.run(
      'run',
      'one.suite.json',
      '--agent',
      'echo.mjs',
      '--junit',
      'out/j.xml',
      '--markdown',
      'm.md',
    );
    expect(code).toBe(1);
    expect(out).toContain('✗ bad');
    expect(out).toContain('0.50 < 0.80');
    const reports =
      readFileSync(join(desk.cwd, 'out/j.xml'), 'utf8') + readFileSync(join(desk.cwd, 'm.md'), 'utf8');
    expect(out + reports).not.toContain('secret');
    expect((await desk.run('show', 'last', '--failed', '--bodies')).out).toContain('something secret');
    expect((await desk.run('show', 'last', '--events')).out).not.toContain('something');
  });

  test('on a terminal shows expected and got', async () => {
    const screen = openTestCli({ isTTY: true, env: { NO_COLOR: '1' } });
    writeFileSync(join(screen.cwd, 'one.suite.json'), suite({ bad: 'good' }));
    writeFileSync(join(screen.cwd, 'echo.mjs'), ECHO);
    const { out } = await screen.run('run', 'one.suite.json', '--agent', 'echo.mjs');
    expect(out).toContain('expected  "good"');
    expect(out).toContain('got       "bad"');
    expect(out).not.toContain('\u001b');
    screen.close();
  });

  test('of chosen tasks tells that it was not the whole suite', async () => {
    write('one.suite.json', suite({ a: 'a', b: 'b', c: 'c' }));
    write('echo.mjs', ECHO);
    const { code, out } = await desk.run(
      'run',
      'one.suite.json',
      '--agent',
      'echo.mjs',
      '--only',
      'a,c',
      '--repeats',
      '2',
    );
    expect(code).toBe(0);
    expect(out).toContain('2 tasks (the suite has 3)');
    expect(out).toContain('2 repeats');
  });

  test('takes the file as it is now, although its version is the same', async () => {
    write('echo.mjs', ECHO);
    write('one.suite.json', suite({ a: 'x' }));
    expect((await desk.run('run', 'one.suite.json', '--agent', 'echo.mjs')).code).toBe(1);
    write('one.suite.json', suite({ a: 'a' }));
    expect((await desk.run('run', 'one.suite.json', '--agent', 'echo.mjs')).code).toBe(0);
  });

  test('of a folder goes through all suites and ends with the worst code', async () => {
    write('echo.mjs', ECHO);
    write('evals/a.json', suite({ a: 'a' }, { suiteId: 'local.test.evals.a' }));
    write('evals/b.json', suite({ b: 'x' }, { suiteId: 'local.test.evals.b' }));
    write(
      'evals/c.json',
      suite({ c: 'c' }, { suiteId: 'local.test.evals.c', targetAgentId: 'local.other.agent' }),
    );
    write('evals/d.json', suite({ d: 'd' }, { suiteId: 'local.test.evals.d' }));
    const { code, out, err } = await desk.run('run', 'evals', '--agent', 'echo.mjs', '--json');
    expect(code).toBe(2);
    expect(JSON.parse(out).map((one: { exitCode: number }) => one.exitCode)).toEqual([0, 1, 2, 0]);
    expect(err).toContain('Add --allow-target-mismatch to run it on this one.');
    expect(err).not.toContain('configurable');
  });

  test('needs an agent, and names the ones there are', async () => {
    write('one.suite.json', suite({ a: 'a' }));
    write('echo.mjs', ECHO);
    const agents = ['one', 'two'].map((name) => ({
      agentId: `local.test.${name}`,
      version: '1.0.0',
      run: { kind: 'module', path: 'echo.mjs' },
    }));
    write('touchstone.config.json', JSON.stringify({ agents }));
    expect((await desk.run('run', 'one.suite.json')).err).toContain(
      'Known here: local.test.one, local.test.two',
    );
    expect((await desk.run('run', 'one.suite.json', '--agent', 'local.test.tow')).err).toContain(
      'Did you mean local.test.two?',
    );
    write('touchstone.config.json', JSON.stringify({ agents: agents.slice(0, 1) }));
    expect((await desk.run('run', 'one.suite.json')).code).toBe(0);
  });

  test('of a broken suite lists everything that is wrong with its line', async () => {
    write(
      'one.suite.yaml',
      'suiteId: wrong\nversion: 1.0.0\nmodes: [golden]\ntasks:\n  - taskId: A\n    input: 1\n',
    );
    write('echo.mjs', ECHO);
    const { code, err } = await desk.run('run', 'one.suite.yaml', '--agent', 'echo.mjs');
    expect(code).toBe(2);
    expect(err).toMatch(/one\.suite\.yaml:1:\d+ \/suiteId/);
    expect(err).toMatch(/one\.suite\.yaml:5:\d+ \/tasks\/0/);
    const checked = await desk.run('validate', 'one.suite.yaml', '--json');
    expect(checked.code).toBe(2);
    expect(JSON.parse(checked.out)).toMatchObject({ valid: false, files: [{ file: 'one.suite.yaml' }] });
  });
});

describe('an interrupted run', () => {
  // The agent answers the first three tasks and then waits for a file that nobody writes until the run is resumed.
  const waiting = (gate: string): string => `
    import { existsSync } from 'node:fs';
    export default async (input) => {
      while (input.say > 'c' && !existsSync(${JSON.stringify(gate)})) await new Promise((resolve) => setTimeout(resolve, 5));
      return input.say;
    };`;
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const start = async (): Promise<string> => {
    write('one.suite.json', suite(Object.fromEntries(names.map((name) => [name, name]))));
    write('agents/slow.mjs', waiting(join(desk.cwd, 'gate')));
    const running = desk.run('run', 'one.suite.json', '--agent', 'agents/slow.mjs', '--concurrency', '1');
    await sealed(3);
    desk.signal('SIGINT');
    const { code, out, err } = await running;
    expect(code).toBe(130);
    expect(out).toBe('');
    expect(err).toContain('Interrupted: 3 of 6 tasks are done and kept.');
    const [, command = ''] = err.match(/Resume with: touchstone (.+)\n/) ?? [];
    return command;
  };
  /** Resolves when so many tasks are durable, as another reader of the store sees it. */
  const sealed = async (count: number): Promise<void> => {
    const reader = openTestCli({ cwd: desk.cwd });
    for (let done = -1; done < count; ) {
      const shown = await reader.run('show', 'last', '--events');
      done = shown.out.split('eval.scored').length - 1;
    }
  };

  test('is finished by the command it printed, without invoking what was done', async () => {
    const command = await start();
    write('gate', '');
    const { code, out } = await desk.run(...command.split(' '), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out).summary.tasks.map((task: { taskId: string }) => task.taskId)).toEqual(names);
  });

  test('is not continued with another suite or another agent', async () => {
    await start();
    const before = readFileSync(join(desk.cwd, 'agents/slow.mjs'), 'utf8');
    write('agents/slow.mjs', `${before}// changed`);
    const agent = await desk.run('run', '--resume');
    expect(agent.code).toBe(2);
    expect(agent.err).toContain('agent local.cli.slow@0.0.0 has changed');
    write('agents/slow.mjs', before);
    write('one.suite.json', suite({ a: 'a' }));
    const changed = await desk.run('run', '--resume', 'last');
    expect(changed.code).toBe(2);
    expect(changed.err).toContain('the suite file one.suite.json has changed');
    expect((await desk.run('run', '--resume', '--only', 'a')).err).toContain('another --only');
  });
});

describe('keys', () => {
  test('are shown once, listed by hash and can be revoked', async () => {
    const { code, out, err } = await desk.run(
      'keys',
      'create',
      '--tenant',
      'acme',
      '--role',
      'runner',
      '--expires',
      '30d',
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^ts_[\w-]+\n$/);
    expect(err).toContain('only time the key is shown');
    // A configuration's keys have no end, so one that has is not offered for it.
    expect(err).not.toContain('"tenant":"acme"');
    const listed = JSON.parse((await desk.run('keys', 'list', '--json')).out);
    expect(JSON.stringify(listed)).not.toContain(out.trim());
    expect(listed.items).toMatchObject([
      { owner: { tenant: 'acme', workspace: 'main' }, roles: ['runner'], state: 'active' },
    ]);
    const hash: string = listed.items[0].keyHash.slice(0, 20);
    expect((await desk.run('keys', 'revoke', hash)).out).toContain('is revoked');
    expect((await desk.run('keys', 'list')).out).toContain('revoked');
  });
});

describe('a configuration with mistakes in several parts', () => {
  test('is refused once, with each of them and its place; what is kept can still be read', async () => {
    write('one.suite.json', suite({ good: 'good' }));
    write('echo.mjs', ECHO);
    expect((await desk.run('run', 'one.suite.json', '--agent', 'echo.mjs')).code).toBe(0);
    write('touchstone.config.yaml', 'modelClasses:\n  general: small\nmcpServers:\n  files: {}\n');
    const { code, err } = await desk.run('run', 'one.suite.json', '--agent', 'echo.mjs');
    expect(code).toBe(2);
    expect(err).toContain('error validation_error: 2 things are wrong:');
    expect(err).toMatch(/touchstone\.config\.yaml:2:3 \/modelClasses\/general /);
    expect(err).toMatch(/touchstone\.config\.yaml:4:3 \/mcpServers\/files /);
    expect((await desk.run('show', 'last')).code).toBe(0);
    write('touchstone.config.yaml', 'modelClasses: [\n');
    expect((await desk.run('run', 'one.suite.json')).err).toMatch(/touchstone\.config\.yaml:2:1 \/ .*YAML/);
  });
});

describe('doctor', () => {
  test('names what is broken and what to do, and still looks at the rest', async () => {
    const agents = [
      { agentId: 'local.test.gone', version: '1.0.0', run: { kind: 'module', path: 'gone.mjs' } },
    ];
    write('touchstone.config.json', JSON.stringify({ agents, suites: ['evals'], judge: { model: 'x' } }));
    write('evals/bad.json', '{}');
    const { code, out } = await desk.run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(/✗ agent +local\.test\.gone/);
    expect(out).toContain('touchstone validate evals/bad.json');
    expect(out).toMatch(/✗ judge +judge\.model: "x" is neither/);
    expect(out).toMatch(/✓ disk/);
    expect(existsSync(join(desk.cwd, '.touchstone'))).toBe(false);
  });
});

test('doctor tells what is wrong to its end, however narrow the terminal', async () => {
  const narrow = openTestCli({ isTTY: true, columns: 60 });
  const providers = {
    keyed: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'KEYED_KEY' },
  };
  narrow.write('touchstone.config.json', { providers });
  const { out } = await narrow.run('doctor');
  narrow.close();
  expect(out.replaceAll(/\s+/g, ' ')).toContain('KEYED_KEY, which is not set');
});

test('doctor tells where no store can be made', async () => {
  write('a-file', '');
  for (const data of ['a-file', 'a-file/below', '/dev/null/x']) {
    const { code, out } = await desk.run('doctor', '--data', data);
    expect([code, out]).toEqual([1, expect.stringMatching(/✗ store .*is not a folder/)]);
  }
  expect(await desk.run('run', 'x', '--data', 'a-file')).toMatchObject({ code: 2 });
});

test('doctor looks for the script of a command, and takes a large interpreter', async () => {
  const command = (agentId: string, script: string) => ({
    agentId,
    version: '1.0.0',
    run: { kind: 'command', command: process.execPath, args: ['--no-warnings', script] },
  });
  write('bot.mjs', '');
  const agents = [command('local.test.there', 'bot.mjs'), command('local.test.gone', 'gone.py')];
  write('touchstone.config.json', JSON.stringify({ agents }));
  const { out } = await desk.run('doctor');
  expect(out).toMatch(/✓ agent +local\.test\.there: command \S+, bot\.mjs are there/);
  expect(out).toMatch(/✗ agent +local\.test\.gone: its script gone\.py does not exist/);
});

test('doctor tells which gate asks for what this configuration does not have', async () => {
  const suite = { suiteId: 'local.test.evals.one', version: '1.0.0', modes: ['golden'] };
  const match = { strategy: 'exact', value: 1 };
  const tasks = [{ taskId: 'a', input: 1, expected: { kind: 'golden', match } }];
  write('evals/one.suite.json', JSON.stringify({ ...suite, tasks }));
  const gate = (gateId: string, requiredEval: object) => ({
    gateId,
    agentId: '*',
    to: 'active',
    requiredEval,
  });
  const gates = [
    gate('right', { suite: 'local.test.evals.one' }),
    gate('other-version', { suite: 'local.test.evals.one@2.0.0' }),
    gate('other-judge', { suite: 'local.test.evals.one@1.0.0', judge: 'local/large' }),
  ];
  write('touchstone.config.json', JSON.stringify({ suites: ['evals'], gates }));
  const { out, code } = await desk.run('doctor');
  expect(code).toBe(0);
  expect(out).toMatch(/✓ gate +right: \* to active/);
  expect(out).toMatch(/! gate +other-version: the suite local\.test\.evals\.one@2\.0\.0 is in no folder/);
  expect(out).toMatch(
    /! gate +other-judge: it asks for the judge local\/large, and the configured one is none/,
  );
});

test('serve names the agent and the file it complains about', async () => {
  const agents = [
    { agentId: 'local.test.gone', version: '1.0.0', run: { kind: 'module', path: 'gone.mjs' } },
  ];
  write('touchstone.config.json', JSON.stringify({ agents }));
  const { code, err } = await desk.run('serve', '--port', '0');
  expect(code).toBe(2);
  expect(err).toMatch(/touchstone\.config\.json.* \/agents\/0\/run\/path local\.test\.gone: Expected a file/);
});

describe('doctor of models, servers and packs', () => {
  const lines = async (config: object, env: { [name: string]: string } = {}): Promise<string> => {
    const person = openTestCli({ cwd: desk.cwd, env });
    write('touchstone.config.json', JSON.stringify(config));
    return (await person.run('doctor')).out;
  };

  test('names the variable of a credential, and never its value', async () => {
    const config = {
      providers: {
        mine: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: 'MY_KEY' },
        played: { kind: 'scripted', path: 'gone.yaml' },
      },
      modelClasses: { general: 'mine/small', coding: 'nobody/x' },
      models: { judge: 'mine/large' },
    };
    const without = await lines(config);
    expect(without).toMatch(/✗ provider +mine: .*MY_KEY, which is not set/);
    expect(without).toMatch(/✗ provider +played: .*does not exist/);
    expect(without).toMatch(/✗ model +modelClasses\.coding: .*no provider "nobody"/);
    const out = await lines(config, { MY_KEY: 'super-secret-1' });
    expect(out).toMatch(/✓ provider +mine: openai-compatible, its credential is set/);
    expect(out).toMatch(/✓ model +modelClasses\.general: mine\/small/);
    expect(out).toMatch(/✓ model +models\.judge: mine\/large/);
    expect(out).not.toContain('super-secret-1');
  });

  test('looks as the operator where tenants share a host', async () => {
    const provider = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' };
    const keys = ['acme', 'globex'].map((tenant) => ({
      key: `key-of-${tenant}-0123456789abcdef`,
      tenant,
      roles: ['runner'],
    }));
    const out = await lines({
      keys,
      providers: { theirs: { ...provider, tenants: ['acme'] }, idle: provider },
      modelClasses: { general: 'theirs/small' },
    });
    expect(out).toMatch(/✓ provider +theirs: openai-compatible, for acme/);
    expect(out).toMatch(/✓ model +modelClasses\.general: theirs\/small/);
    expect(out).toMatch(/! provider +idle: keys belong to several tenants, and none of them may use it/);
  });

  test('tells which server, which pack and which key cannot be used, and looks at the rest', async () => {
    write('packs/empty/pack.json', '{}');
    write('packs/not-a-pack.tgz', 'x');
    const out = await lines({
      mcpServers: { gone: { command: 'no-such-command-here' } },
      packs: ['./packs'],
      trust: { policy: 'open' },
    });
    expect(out).toMatch(/✗ mcp +gone: /);
    expect(out).toMatch(/✗ pack +packs\/empty: /);
    expect(out).toContain('touchstone pack verify packs/not-a-pack.tgz');
    expect(out).toMatch(/✓ trust +policy open, 0 keys/);
    const broken = await lines({ trust: { keys: [{ keyId: 'a', file: 'gone.pem' }] } });
    expect(broken).toMatch(/✗ config +touchstone\.config\.json:1:\d+ \/trust\/keys\/0\/file: /);
    expect(broken).toMatch(/✓ disk/);
  });
});

describe('another host', () => {
  test('is served, used and closed', async () => {
    await desk.run('init', '.');
    const serving = desk.run('serve', '--port', '0', '--data', 'served');
    await desk.seen('This is the only time the key is shown');
    const [, url = '', key = ''] =
      desk.written.out.match(/listening (\S+)\nexport TOUCHSTONE_KEY=(\S+)\n/) ?? [];
    const person = openTestCli({ env: { THE_KEY: key, BAD: 'nope' } });
    try {
      const suiteFile = join(desk.cwd, 'evals/first.suite.yaml');
      const there = ['--host', url, '--key-env', 'THE_KEY'];
      const run = await person.run('run', suiteFile, ...there);
      expect(run.err).toBe('');
      expect(run.out).toContain('PASS');
      expect(run.out).toContain('1.00 ≥ 0.90');
      expect(run.code).toBe(0);
      const failing = await person.run('run', suiteFile, ...there, '--agent', 'local.nobody.here', '--json');
      expect(failing.code).toBe(2);
      expect((await person.run('run', suiteFile, '--host', url, '--key-env', 'BAD')).err).toContain(
        'error unauthenticated',
      );
      expect((await person.run('run', suiteFile, ...there, '--agent', 'https://x')).err).toContain(
        'cannot be run on another host',
      );
    } finally {
      desk.signal('SIGTERM');
      person.close();
    }
    expect((await serving).code).toBe(0);
  });

  test('that is older, without the reads of later ones, is used all the same', async () => {
    await desk.run('init', '.');
    const serving = desk.run('serve', '--port', '0', '--data', 'served');
    await desk.seen('This is the only time the key is shown');
    const [, url = '', key = ''] =
      desk.written.out.match(/listening (\S+)\nexport TOUCHSTONE_KEY=(\S+)\n/) ?? [];
    const older = await openOlderHost(url);
    const person = openTestCli({ env: { THE_KEY: key } });
    try {
      const suiteFile = join(desk.cwd, 'evals/first.suite.yaml');
      const there = ['--host', older.url, '--key-env', 'THE_KEY'];
      const run = await person.run('run', suiteFile, ...there, '--json');
      expect([run.code, run.err]).toEqual([0, '']);
      const { summary, agent } = JSON.parse(run.out);
      const named = await person.run('run', summary.suiteId, '--agent', agent.agentId, ...there);
      expect([named.code, named.err]).toEqual([0, '']);
      expect(named.out).toContain('1.00 ≥ 0.90');
      expect((await person.run('run', `${summary.suiteId}@9.0.0`, ...there)).err).toContain('is installed');
    } finally {
      older.close();
      desk.signal('SIGTERM');
      person.close();
    }
    await serving;
  });

  test('says so when a gate is for a tenant that no key names', async () => {
    const approval = { requiredRole: 'admin' };
    const gates = ['acme', 'amce'].map((tenant) => ({ agentId: '*', to: 'active', tenant, approval }));
    const keys = [{ key: 'a-key-of-acme-0123456789', tenant: 'acme', roles: ['admin'] }];
    write('touchstone.config.json', JSON.stringify({ keys, gates }));
    const serving = desk.run('serve', '--port', '0', '--data', 'served');
    await desk.seen('listening');
    desk.signal('SIGTERM');
    const { code, err } = await serving;
    expect([code, err]).toEqual([
      0,
      'warning: gate amce/*:active is for tenant amce, which no key of the configuration names.\n',
    ]);
  });
});

/** The host behind `url`, without two operations and a member of its runs that it did not always have. */
async function openOlderHost(url: string) {
  const server = createServer((request, response) => {
    const { method = 'GET', url: path = '', headers } = request;
    if (/\/(results|head)(\?|$)/.test(path)) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'not_found', message: 'There is nothing at this path.' }));
      return;
    }
    const forwarded = httpRequest(new URL(path, url), { method, headers }, async (answer) => {
      const { 'content-length': _, ...kept } = answer.headers;
      response.writeHead(answer.statusCode ?? 500, kept);
      if (!/^\/v1\/runs\/[^/]+$/.test(path)) return void answer.pipe(response);
      const {
        touchstone: { thresholds, ...facts },
        ...run
      } = JSON.parse(await text(answer));
      response.end(JSON.stringify({ ...run, touchstone: facts }));
    });
    request.pipe(forwarded);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
