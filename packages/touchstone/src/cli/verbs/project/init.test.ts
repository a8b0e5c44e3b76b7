import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

let cli: TestCli;
beforeEach(() => {
  cli = openTestCli();
});
afterEach(() => cli.close());

describe('a new project', () => {
  it('runs from the folder beside it, by its own configuration', async () => {
    await cli.run('init', 'demo');
    const { code, out } = await cli.run('run', 'demo/evals', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)[0].agent.agentId).toBe('local.demo.shop');
  });

  it('is not taken for the project of a suite when the working folder has a configuration', async () => {
    await cli.run('init', 'demo');
    cli.write('touchstone.config.json', { agents: [] });
    const { code, err } = await cli.run('run', 'demo/evals');
    expect([code, err]).toEqual([2, expect.stringContaining('Which agent?')]);
  });

  it('keeps runs and keys out of its repository, and what is ignored there already', async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: cli.cwd, encoding: 'utf8' });
    git('init', '--quiet');
    cli.write('.gitignore', 'build/\n/.env');
    const { out } = await cli.run('init', '--json');
    expect(JSON.parse(out).ignored).toEqual(['.touchstone/']);
    expect(cli.read('.gitignore')).toBe('build/\n/.env\n.touchstone/\n');
    await cli.run('run', 'evals');
    await cli.run('run', 'evals', '--data', 'elsewhere');
    expect(git('status', '--porcelain', '--untracked-files=all').split('\n').filter(Boolean).sort()).toEqual([
      '?? .gitignore',
      '?? agent.mjs',
      '?? evals/first.suite.yaml',
      '?? touchstone.config.json',
    ]);
  });

  it('gets a workflow for GitHub when that is asked for, also later', async () => {
    await cli.run('init');
    expect(cli.has('.github/workflows/evals.yml')).toBe(false);
    const { code, out } = await cli.run('init', '--ci', 'github', '--json');
    expect([code, JSON.parse(out).files]).toEqual([0, ['.github/workflows/evals.yml']]);
    expect(cli.read('.github/workflows/evals.yml')).toContain('touchstone run evals');
    expect((await cli.run('init', '--ci', 'github')).code).toBe(2);
  });

  it('names the schemas that editors check its files with', async () => {
    await cli.run('init');
    expect(JSON.parse(cli.read('touchstone.config.json')).$schema).toMatch(/config\.schema\.json$/);
    expect(cli.read('evals/first.suite.yaml')).toMatch(/^\$schema: \S+suite\.schema\.json$/m);
    expect((await cli.run('validate', 'evals')).code).toBe(0);
  });
});

describe('a new project below the folder that Touchstone is installed in', () => {
  it('names the schemas where they are', async () => {
    cli.write('node_modules/touchstone/schemas/suite.schema.json', '{}');
    await cli.run('init', 'apps/demo');
    const config = JSON.parse(cli.read('apps/demo/touchstone.config.json'));
    expect(config.$schema).toBe('../../node_modules/touchstone/schemas/config.schema.json');
    const suite = cli.read('apps/demo/evals/first.suite.yaml');
    expect(suite).toContain('$schema: ../../../node_modules/touchstone/schemas/suite.schema.json\n');
  });

  it('is run next as it was made: by npx where npx made it', async () => {
    expect((await cli.run('init', 'demo')).out).toContain('cd demo && touchstone run evals');
    cli.close();
    cli = openTestCli({ env: { npm_lifecycle_event: 'npx' } });
    expect((await cli.run('init', 'demo')).out).toContain('cd demo && npx touchstone run evals');
  });
});

it('a schema is printed by its name', async () => {
  for (const name of ['suite', 'config'])
    expect(JSON.parse((await cli.run('schema', name)).out)).toHaveProperty('properties.$schema');
  expect(await cli.run('schema', 'absent')).toMatchObject({
    code: 2,
    err: expect.stringContaining('suite, config'),
  });
});

it('a folder that holds more than runs is not hidden from git by keeping runs in it', async () => {
  await cli.run('init');
  await cli.run('run', 'evals', '--data', '.');
  expect(cli.read('.gitignore')).toBe('.touchstone/\n.env\n');
});
