import { afterEach, describe, expect, it } from 'vitest';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const open: TestCli[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const DESK = `suiteId: acme.shop.evals.desk
version: 1.0.0
defaults: { expect: [{ not-refused: {} }] }
tasks:
  - taskId: late-delivery
    tags: [delivery]
    input: Where is order 1042?
    fixtures: { toolResponses: [{ tool: "local:orders.get", response: { status: late } }] }
    expect:
      - { contains: friday, ignoreCase: true }
      - { tool-called: "local:orders.get", inputs: { orderId: "1042" }, weight: 2 }
`;

const CONFIG = {
  agents: [
    {
      agentId: 'local.acme.desk',
      version: '1.0.0',
      toolAllowlist: ['local:orders.get'],
      run: { kind: 'module', path: './agent.mjs' },
    },
  ],
};

const agentFor = (order: string): string =>
  `export default async (input, ctx) => { await ctx.tools.call('local:orders.get', { orderId: '${order}' }); return 'On Friday.'; };`;

function project(order = '1042'): TestCli {
  const cli = openTestCli();
  open.push(cli);
  cli.write('desk.suite.yaml', DESK);
  cli.write('touchstone.config.json', CONFIG);
  cli.write('agent.mjs', agentFor(order));
  return cli;
}

const PACK = {
  name: 'vendor.acme.desk',
  version: '1.0.0',
  description: 'Answers questions about orders.',
  license: 'Apache-2.0',
  engines: { openwop: '>=1.0 <2.0.0' },
  runtime: { language: 'remote', entry: 'pack.json' },
  peerDependencies: { 'host.agentRuntime': 'supported' },
  agents: [
    {
      agentId: 'vendor.acme.desk.default',
      persona: 'Desk',
      modelClass: 'general',
      systemPromptRef: 'prompts/desk.md',
      evalSuiteRef: 'evals/desk.suite.yaml',
    },
  ],
};

const RUN = ['run', 'desk.suite.yaml', '--agent', 'local.acme.desk', '--json'];
type Rubrics = { rubrics: { criteria: { met: number; check?: string }[] }[] };

describe('a suite with expectations', () => {
  it('writes nothing for a check that no run would take', async () => {
    const cli = project();
    cli.write(
      'desk.suite.yaml',
      DESK.replace('{ contains: friday, ignoreCase: true }', '{ regex: "(?=a)" }'),
    );
    const { code, err } = await cli.run('compile', 'desk.suite.yaml', '-o', 'build');
    expect([code, err]).toEqual([2, expect.stringContaining('desk.suite.yaml:10:9')]);
    expect(cli.has('build')).toBe(false);
  });

  it('passes when the agent calls the tool with the right order', async () => {
    const { code } = await project().run(...RUN);
    expect(code).toBe(0);
  });

  it("fails when the agent calls the tool with somebody else's, and names the check and the place", async () => {
    const cli = project('SOMEBODY-ELSES');
    const { code, out } = await cli.run(...RUN, '--junit', 'r.xml');
    expect(code).toBe(1);
    const [failure] = (JSON.parse(out) as Rubrics).rubrics;
    expect(failure?.criteria.map(({ met }) => met)).toEqual([1, 1, 0]);
    expect(failure?.criteria[2]).toMatchObject({ met: 0, check: 'tool-called' });
    expect(cli.read('r.xml')).toContain('tool-called differs at /orderId');
    expect(out + cli.read('r.xml')).not.toContain('SOMEBODY');
  });
});

describe('compile of a suite file', () => {
  it('writes the form of the wire with the same digest, and the tags beside it', async () => {
    const cli = project();
    const { code, out } = await cli.run('compile', 'desk.suite.yaml', '-o', 'build', '--json');
    expect(code).toBe(0);
    const { digest } = JSON.parse(out) as { digest: string };
    expect(JSON.parse(cli.read('build/desk.meta.json'))).toEqual({
      metaVersion: 1,
      suiteSha256: digest.slice('sha256:'.length),
      tasks: { 'late-delivery': { tags: ['delivery'], line: 5 } },
    });
    const again = await cli.run('compile', 'build/desk.suite.json', '--check', '--json');
    expect(JSON.parse(again.out)).toMatchObject({ digest, files: [] });
  });

  it('overwrites nothing else unless it is told to', async () => {
    const cli = project();
    cli.write('build/desk.suite.json', '{}');
    const refused = await cli.run('compile', 'desk.suite.yaml', '-o', 'build');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--force')]);
    expect(cli.read('build/desk.suite.json')).toBe('{}');
    expect((await cli.run('compile', 'desk.suite.yaml', '-o', 'build', '--force')).code).toBe(0);
    expect((await cli.run('compile', 'desk.suite.yaml', '-o', 'build')).code).toBe(0);
  });

  it('refuses options that are about definitions', async () => {
    const { code, err } = await project().run('compile', 'desk.suite.yaml', '--sample', '3');
    expect([code, err]).toEqual([2, expect.stringContaining('--sample is about agent definitions')]);
  });

  it('tells what is wrong with an expectation by its line', async () => {
    const cli = project();
    cli.write('desk.suite.yaml', DESK.replace('contains: friday', 'contians: friday'));
    const { code, out } = await cli.run('validate', 'desk.suite.yaml');
    expect([code, out]).toEqual([2, expect.stringContaining('desk.suite.yaml:10')]);
  });
});

describe('what only suite files may have', () => {
  it('is refused in a pack, which is told to compile it', async () => {
    const cli = project();
    cli.write('pack/evals/desk.suite.yaml', DESK);
    cli.write('pack/prompts/desk.md', 'You answer questions about orders.');
    cli.write('pack/pack.json', PACK);
    const { code, err } = await cli.run('pack', 'build', 'pack');
    expect(code).toBe(2);
    expect(err).toContain('/defaults');
    expect(err).toContain('touchstone compile evals/desk.suite.yaml');
  });

  it('a golden strategy of another tool is refused with the check that does it', async () => {
    const cli = project();
    const match = 'expected: { kind: golden, match: { strategy: regex, value: "fri.*" } }';
    cli.write('regex.suite.yaml', `${DESK.split('    expect:')[0]}    ${match}\n`);
    const { code, err, out } = await cli.run('validate', 'regex.suite.yaml');
    expect(code).toBe(2);
    expect(err + out).toContain('use check:regex');
  });
});

it('a report says that a check looks at time', async () => {
  const cli = project();
  cli.write('timed.suite.yaml', `${DESK}      - { latency: 60000 }\n`);
  const reportOf = async (suite: string) => {
    const { out } = await cli.run('run', suite, '--agent', 'local.acme.desk', '--json');
    return (JSON.parse(out) as { report: { timed?: true } }).report;
  };
  expect((await reportOf('timed.suite.yaml')).timed).toBe(true);
  expect((await reportOf('desk.suite.yaml')).timed).toBeUndefined();
});
