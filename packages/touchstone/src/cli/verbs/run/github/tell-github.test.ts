import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeGithub, openFakeGithub } from '../../../testing/fake-github.js';
import { openTestCli, type TestCli } from '../../../testing/test-cli.js';

const TOKEN = 'token-of-the-job';
const SUITE = `suiteId: local.test.evals.shop
version: 1.0.0
modes: [golden]
tasks:
  - taskId: right
    input: right
    expected: { kind: golden, match: { strategy: exact, value: right } }
  - taskId: wrong
    input: wrong
    expected: { kind: golden, match: { strategy: exact, value: SECRET-ANSWER } }
`;

let github: FakeGithub;
let cli: TestCli;
const env: Record<string, string> = {};
beforeEach(async () => {
  github = await openFakeGithub();
  cli = openTestCli({ env });
  Object.assign(env, {
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: github.url,
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_TOKEN: TOKEN,
    GITHUB_WORKSPACE: cli.cwd,
    GITHUB_STEP_SUMMARY: join(cli.cwd, 'summary.md'),
    GITHUB_OUTPUT: join(cli.cwd, 'outputs'),
    GITHUB_EVENT_PATH: join(cli.cwd, 'event.json'),
  });
  cli.write('event.json', { pull_request: { number: 7 } });
  cli.write('evals/shop.suite.yaml', SUITE);
  cli.write('echo.mjs', 'export default (input) => input;');
});
afterEach(async () => {
  for (const name of Object.keys(env)) delete env[name];
  cli.close();
  await github.close();
});

const RUN = ['run', 'evals', '--agent', 'echo.mjs'];

describe('a run in a job of GitHub Actions', () => {
  it('appends its summary and its outputs to the files of the step', async () => {
    writeFileSync(join(cli.cwd, 'summary.md'), 'before\n');
    const { code } = await cli.run(...RUN);
    expect(code).toBe(1);
    expect(cli.read('summary.md')).toMatch(
      /^before\n<!-- touchstone:local\.test\.evals\.shop -->\n### ❌ FAIL/,
    );
    expect(cli.read('outputs')).toMatch(/^exit-code=1\nverdict=failed\nscore=0\.5\nrun-id=run-[0-9a-z]+\n$/);
    expect(cli.read('summary.md')).not.toContain('SECRET-ANSWER');
  });

  it('lets no answer give commands to the runner', async () => {
    cli.write('echo.mjs', `export default () => { throw new Error('no\\n::add-mask::a\\n##[error]b'); };`);
    const { out, err } = await cli.run(...RUN, '--bodies');
    expect(out).toContain('add-mask');
    expect(`${out}${err}`.split('\n').filter((line) => /^\s*::(?!error file=)|##\[/.test(line))).toEqual([]);
  });

  it('keeps the summary of the step below 1 MiB', async () => {
    writeFileSync(join(cli.cwd, 'summary.md'), 'x'.repeat(1024 * 1024 - 100));
    await cli.run(...RUN);
    expect(cli.read('summary.md').length).toBeLessThan(1024 * 1024);
    expect(cli.read('summary.md')).toContain('it was cut');
  });

  it('marks the failed task at its line, by its path in the repository', async () => {
    env.GITHUB_WORKSPACE = join(cli.cwd, '..');
    const folder = cli.cwd.split('/').at(-1);
    const { err } = await cli.run(...RUN);
    expect(err).toContain(
      `::error file=${folder}/evals/shop.suite.yaml,line=8,title=local.test.evals.shop@1.0.0%3A wrong::score 0.00: exact not met`,
    );
    expect(err.match(/^::error/gm)).toHaveLength(1);
  });

  it('marks ten tasks at most, and none when it passed', async () => {
    const tasks = Array.from({ length: 12 }, (_, at) => ({
      taskId: `t-${at}`,
      input: at,
      expected: { kind: 'golden', match: { strategy: 'exact', value: 'x' } },
    }));
    const suite = { suiteId: 'local.test.evals.many', version: '1.0.0', modes: ['golden'], tasks };
    cli.write('many.suite.json', suite);
    const many = ['run', 'many.suite.json', '--agent', 'echo.mjs'];
    expect((await cli.run(...many)).err.match(/^::error/gm)).toHaveLength(10);
    expect((await cli.run(...many, '--fail-on', 'none')).err).not.toContain('::error');
  });

  it('writes one comment on the pull request, and changes it the next time', async () => {
    github.comments.push({ id: 1, body: 'A person wrote this.' });
    expect((await cli.run(...RUN)).code).toBe(1);
    cli.write('echo.mjs', 'export default (input) => (input === "wrong" ? "SECRET-ANSWER" : input);');
    expect((await cli.run(...RUN)).code).toBe(0);
    const bodies = github.comments.map(({ body }) => body.split('\n').slice(0, 3));
    expect(bodies).toEqual([
      ['A person wrote this.'],
      [
        '<!-- touchstone run evals -->',
        '<!-- touchstone:local.test.evals.shop -->',
        expect.stringContaining('✅ PASS'),
      ],
    ]);
    expect(new Set(github.requests.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${TOKEN}`]),
    );
  });

  it('finds its comment among many pages of others', async () => {
    for (let id = 1000; id < 1150; id += 1) github.comments.push({ id, body: 'Others.' });
    github.comments.push({ id: 5, body: '<!-- touchstone run evals -->\nold' });
    await cli.run(...RUN);
    expect(github.comments).toHaveLength(151);
    expect(github.comments.at(-1)?.body).toContain('FAIL');
  });

  it.each([403, 500])(
    'warns when the comment is answered with %i, and keeps its exit code',
    async (status) => {
      github.refuseWith(status);
      const { code, err } = await cli.run(...RUN, '--fail-on', 'none');
      expect([code, err]).toEqual([
        0,
        expect.stringMatching(/^::warning title=touchstone::.* GitHub answered \d+/m),
      ]);
      expect(err).not.toContain(TOKEN);
    },
  );

  it('follows no redirect with its token', async () => {
    env.GITHUB_API_URL = `${github.url}/moved`;
    const { code, err } = await cli.run(...RUN, '--fail-on', 'none');
    expect([code, err]).toEqual([0, expect.stringContaining('::warning')]);
    expect(github.requests.map(({ line }) => line)).toEqual([expect.stringContaining('GET /moved/')]);
  });

  it.each([
    ['without a token', (): void => void delete env.GITHUB_TOKEN],
    ['for a push', (): void => cli.write('event.json', { ref: 'refs/heads/main' })],
  ])('asks nothing of the API %s', async (_, change) => {
    change();
    await cli.run(...RUN);
    expect(github.requests).toEqual([]);
    expect(cli.has('summary.md')).toBe(true);
  });

  it('tells GitHub nothing with --no-github, nor outside of its jobs', async () => {
    await cli.run(...RUN, '--no-github');
    delete env.GITHUB_ACTIONS;
    await cli.run(...RUN);
    expect([cli.has('summary.md'), cli.has('outputs'), github.requests]).toEqual([false, false, []]);
    await cli.run(...RUN, '--github');
    expect([cli.has('summary.md'), cli.has('outputs')]).toEqual([true, true]);
  });

  it('shows runs side by side in its summary', async () => {
    cli.write('other.mjs', 'export default () => "right";');
    await cli.run(...RUN, '--agent', 'other.mjs');
    expect(cli.read('summary.md')).toContain('other.mjs');
    expect(cli.read('outputs')).toMatch(/^run-id=run-\w+,run-\w+$/m);
  });

  it('keeps stdout to the document with --json', async () => {
    const { out } = await cli.run(...RUN, '--json');
    expect(JSON.parse(out)).toHaveLength(1);
  });
});
