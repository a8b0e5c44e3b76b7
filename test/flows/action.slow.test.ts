import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeGithub, openFakeGithub } from '../../packages/touchstone/src/cli/testing/fake-github.js';
import { parseYaml } from '../../packages/touchstone/src/suites/text/yaml.js';
import { CLI, temporaryFolder } from './processes.js';

// The action is its scripts and the order in which action.yml calls them. The scripts run here as a runner would run them,
// with a GitHub on loopback; what GitHub itself does between them, caching and uploading, is copied by hand.

const ACTION = fileURLToPath(new URL('../../action', import.meta.url));
const actionText = readFileSync(join(ACTION, 'action.yml'), 'utf8');

type Step = {
  readonly run?: string;
  readonly uses?: string;
  readonly env?: { readonly [name: string]: string };
  readonly with?: { readonly [name: string]: string };
  readonly if?: string;
};
const action = parseYaml(actionText).value as {
  readonly inputs: { readonly [name: string]: { readonly default: string } };
  readonly outputs: { readonly [name: string]: { readonly value: string } };
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
};
const { steps } = action.runs;

describe('the action', () => {
  it('hands inputs to the shell as environment variables only', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });

  it('uses nothing but actions of GitHub, pinned by hash, and neither gh nor jq', () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used).toHaveLength(3);
    for (const name of used) expect(name).toMatch(/^actions\/[a-z/-]+@[0-9a-f]{40}$/);
    for (const { run = '' } of steps) expect(run).not.toMatch(/\b(?:gh|jq|curl)\b/);
  });

  it('makes something of every input, and gives every output', () => {
    for (const input of Object.keys(action.inputs)) expect(actionText).toContain(`inputs.${input} `);
    expect(Object.keys(action.outputs)).toEqual(['exit-code', 'verdict', 'score', 'run-id', 'report']);
  });
});

let folder: ReturnType<typeof temporaryFolder>;
let github: FakeGithub;
beforeEach(async () => {
  folder = temporaryFolder();
  github = await openFakeGithub();
  write('project/evals/shop.suite.json', {
    suiteId: 'local.test.evals.shop',
    version: '1.0.0',
    modes: ['golden'],
    thresholds: { passScore: 0.5 },
    tasks: ['one', 'two', 'three'].map(taskOf),
  });
  write('project/agent.mjs', 'export default (input) => input;');
});
afterEach(async () => {
  await github.close();
  folder.remove();
});

const taskOf = (taskId: string) => ({
  taskId,
  input: taskId,
  expected: { kind: 'golden', match: { strategy: 'exact', value: taskId } },
});

function write(name: string, content: string | object): string {
  const file = join(folder.path, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

async function execute(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, { cwd, env });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  const [code] = await once(child, 'close');
  return { code, text };
}

/** What the installed program is here: it notes its arguments. */
const PROGRAM = `import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
const words = process.argv.slice(2);
appendFileSync(process.env.RUNNER_TEMP + '/called', JSON.stringify(words) + '\\n');
process.exitCode = spawnSync(process.execPath, ['--', ${JSON.stringify(CLI)}, ...words], { stdio: 'inherit' }).status;
`;

type Job = {
  readonly event: 'push' | 'pull_request';
  readonly inputs?: { readonly [name: string]: string };
  /** The job whose cache is restored. */
  readonly after?: string;
};

/** Runs the steps of the action as far as they are scripts, in a temporary folder of its own. */
async function runJob(name: string, { event, inputs = {}, after }: Job) {
  const temp = join(folder.path, name);
  write(`${name}/touchstone/node_modules/touchstone/package.json`, { type: 'module' });
  write(`${name}/touchstone/node_modules/touchstone/bin/touchstone.js`, PROGRAM);
  write(`${name}/event.json`, event === 'push' ? {} : { pull_request: { number: 7 } });
  if (after !== undefined)
    cpSync(join(folder.path, after, 'touchstone-baseline'), join(temp, 'touchstone-baseline'), {
      recursive: true,
    });
  const given = { ...defaults(), agent: 'agent.mjs', 'working-directory': 'project', ...inputs };
  const env = {
    PATH: process.env.PATH,
    RUNNER_TEMP: temp,
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: event,
    GITHUB_EVENT_PATH: join(temp, 'event.json'),
    GITHUB_OUTPUT: join(temp, 'outputs'),
    GITHUB_STEP_SUMMARY: join(temp, 'summary.md'),
    GITHUB_WORKSPACE: folder.path,
    GITHUB_API_URL: github.url,
    GITHUB_REPOSITORY: 'acme/shop',
    INPUT_TOKEN: 'token',
    ...Object.fromEntries(Object.entries(given).map(([key, value]) => [variableOf(key), value])),
  };
  const { code, text } = await execute(process.execPath, [join(ACTION, 'run.mjs')], folder.path, env);
  expect(code).toBe(0);
  return { text, outputs: outputsIn(join(temp, 'outputs')), called: calledIn(join(temp, 'called')), temp };
}

const variableOf = (input: string): string => `INPUT_${input.toUpperCase().replaceAll('-', '_')}`;
const defaults = () =>
  Object.fromEntries(Object.entries(action.inputs).map(([name, { default: value }]) => [name, value]));
const outputsIn = (file: string) =>
  Object.fromEntries(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
const calledIn = (file: string): string[][] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('its run', () => {
  it('keeps the scorecards of a push as the baseline of pull requests', async () => {
    const pushed = await runJob('main', { event: 'push' });
    expect(pushed.outputs).toMatchObject({
      'exit-code': '0',
      verdict: 'passed',
      score: '1',
      baseline: 'saved',
    });
    expect(pushed.called[0]).not.toContain('--baseline');
    expect(github.requests).toEqual([]);
    write('project/agent.mjs', 'export default (input) => (input === "two" ? "no" : input);');
    write('project/evals/shop.suite.json', {
      ...JSON.parse(readFileSync(join(folder.path, 'project/evals/shop.suite.json'), 'utf8')),
      tasks: ['one', 'two', 'three', 'new'].map(taskOf),
    });
    const pull = await runJob('pull', { event: 'pull_request', after: 'main' });
    expect(pull.outputs).toMatchObject({ 'exit-code': '1', verdict: 'failed', score: '0.75' });
    expect(pull.outputs.baseline).toBeUndefined();
    expect(pull.called).toEqual([
      [
        ...['run', '--agent', 'agent.mjs', '--fail-on', 'bar,regression,newly-failing'],
        ...['--baseline', join(pull.temp, 'touchstone-baseline'), '--common', '--confirm', '2'],
        ...['--data', join(pull.temp, 'touchstone-data'), '--github'],
        ...['--junit', join(pull.temp, 'touchstone-report/junit.xml')],
        ...['--output', join(pull.temp, 'touchstone-report/report.html')],
        ...['--', 'evals'],
      ],
    ]);
    const [comment] = github.comments;
    expect(comment?.body).toMatch(/^<!-- touchstone run evals -->\n/);
    expect(comment?.body).toContain('Added since (1): new.');
    expect(comment?.body).toContain('1 task newly fails');
    expect(readFileSync(join(pull.temp, 'summary.md'), 'utf8')).toContain('❌ FAIL');
    expect(pull.text).toMatch(/^::error file=project\/evals\/shop\.suite\.json,line=\d+,/m);
    expect(existsSync(join(pull.temp, 'touchstone-report/junit.xml'))).toBe(true);
    expect(existsSync(pull.outputs.report)).toBe(true);
    expect(existsSync(join(folder.path, 'project/.touchstone'))).toBe(false);
  });

  it('takes no word of an input for a command or an option', async () => {
    const suite = '--host=http://127.0.0.1:9; touch pwned; $(touch pwned)';
    const { outputs, called, text } = await runJob('odd', { event: 'push', inputs: { suite } });
    expect(called[0]?.slice(-2)).toEqual(['--', suite]);
    expect(text).toContain(`no file, folder or suite called ${suite}`);
    expect(outputs).toMatchObject({ 'exit-code': '2', verdict: 'not run' });
    expect([outputs.baseline, outputs.report]).toEqual([undefined, undefined]);
    expect(existsSync(join(folder.path, 'project/pwned'))).toBe(false);
  });

  it('tells of a file of variables that there is not as of bad input', async () => {
    const { outputs, text } = await runJob('unset', { event: 'push', inputs: { 'env-file': 'absent.env' } });
    expect(outputs).toMatchObject({ 'exit-code': '2', verdict: 'not run' });
    expect(text).toContain('The file absent.env with variables cannot be read');
  });

  it('splits further options as a shell would, and writes no comment when none is wanted', async () => {
    const args = `--only 'one' --repeats 2 --modes "golden"`;
    const inputs = { args, comment: 'false', baseline: 'none', budget: '1.5' };
    const { called, outputs } = await runJob('quiet', { event: 'pull_request', inputs });
    expect(called[0]?.slice(-8, -2)).toEqual(['--only', 'one', '--repeats', '2', '--modes', 'golden']);
    expect(called[0]).toEqual(expect.arrayContaining(['--budget', '1.5']));
    expect(outputs['exit-code']).toBe('0');
    expect(github.requests).toEqual([]);
  });

  it('keeps the old baseline when a run could not be judged', async () => {
    write('project/broken.mjs', 'this is no program');
    const { outputs } = await runJob('lost', { event: 'push', inputs: { agent: 'broken.mjs' } });
    expect(Number(outputs['exit-code'])).toBeGreaterThan(1);
    expect(outputs.baseline).toBeUndefined();
  });

  it.each([
    ['1', 1],
    ['0', 0],
    ['', 3],
  ])('ends the job with its exit code: "%s" is %i', async (given, code) => {
    const last = steps.at(-1)?.run ?? '';
    const ended = await execute('bash', ['-c', last], folder.path, {
      PATH: process.env.PATH,
      EXIT_CODE: given,
    });
    expect(ended.code).toBe(code);
  });
});

describe('its installation', () => {
  const install = async (version: string): Promise<string[]> => {
    const npm = write('bin/npm', '#!/bin/sh\nfor word in "$@"; do echo "word:$word"; done\n');
    chmodSync(npm, 0o755);
    const { code, text } = await execute(process.execPath, [join(ACTION, 'install.mjs')], folder.path, {
      PATH: `${dirname(npm)}:${process.env.PATH}`,
      RUNNER_TEMP: folder.path,
      GITHUB_SERVER_URL: 'https://github.example',
      ACTION_REPOSITORY: 'acme/touchstone',
      INPUT_VERSION: version,
    });
    expect(code).toBe(0);
    return [...text.matchAll(/^word:(.*)$/gm)].map(([, word = '']) => word);
  };
  const released = (version: string): string =>
    `https://github.example/acme/touchstone/releases/download/v${version}/touchstone-${version}.tgz`;
  const own = JSON.parse(
    readFileSync(new URL('../../packages/touchstone/package.json', import.meta.url), 'utf8'),
  ).version;

  it.each([
    ['', released(own)],
    ['1.2.3', released('1.2.3')],
    ['v1.2.3', released('1.2.3')],
    ['./touchstone-9.9.9.tgz', './touchstone-9.9.9.tgz'],
  ])('of version "%s" takes the archive %s, and runs none of its scripts', async (version, archive) => {
    const words = await install(version);
    expect(words.slice(0, 2)).toEqual(['install', '--ignore-scripts']);
    expect(words).toEqual(expect.arrayContaining(['--prefix', join(folder.path, 'touchstone')]));
    expect(words.at(-1)).toBe(archive);
  });
});
