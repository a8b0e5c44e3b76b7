import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ContractReport } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../../../app/config/config.js';
import { openSources } from '../../files/pack-source.js';
import { openSuites, tellContractsStay } from '../../files/suite-source.js';
import { withSession } from '../../session.js';
import {
  AGENT,
  type Contracts,
  type Criterion,
  definition,
  manifest,
  manifestAgent,
  openContractCli,
  ROWS,
  RUBRIC,
  SUITE,
  steady,
} from '../../testing/contract-cli.js';
import { openTestCli } from '../../testing/test-cli.js';
import { driverOf } from '../run/run-driver.js';
import { startRun } from '../run/start-run.js';
import { watchedBy } from '../run/watch-paths.js';

let desk: Contracts;
beforeEach(() => {
  desk = openContractCli();
});
afterEach(() => desk.close());

type Told = {
  readonly runId: string;
  readonly exitCode: number;
  readonly summary: { readonly passed: boolean };
  readonly contract: ContractReport;
};
const told = (out: string): Told => JSON.parse(out) as Told;
const ruled = (...rubric: readonly Criterion[]): void =>
  desk.write('agent.json', definition({ grading_rubric: rubric }));
const SETTINGS = { data: '.touchstone', json: false, color: false };

describe('the contract of a definition', () => {
  test('is run by the agent as it is defined, and every gate is shown', async () => {
    const person = openContractCli({ isTTY: true });
    try {
      const { code, out } = await person.run('run', 'agent.json', '--no-color');
      expect(code).toBe(0);
      expect(steady(out)).toMatchSnapshot();
    } finally {
      person.close();
    }
  });

  test('is told in one document, content-free, and the same when it is shown later', async () => {
    const { code, out, err } = await desk.run('run', 'agent.json', '--json');
    expect([code, err]).toEqual([0, '']);
    const document = told(out);
    expect(document).toMatchObject({
      exitCode: 0,
      suite: { ref: `${SUITE}@1.0.0` },
      agent: { agentId: AGENT, version: '1.0.0' },
      contract: {
        verdict: 'pass',
        criteria: [
          { id: 'json-schema-validity', strict: true, met: 4, applicable: 4, status: 'pass' },
          { id: 'accuracy', met: 3, required: 0.5, status: 'pass' },
          { id: 'conciseness', strict: false, met: 1, status: 'warn' },
        ],
      },
    });
    expect(out).not.toMatch(/WRONG|shelf|At most/);
    expect(told((await desk.run('show', 'last', '--json')).out).contract).toEqual(document.contract);
    expect((await desk.run('show', 'last')).out).toContain('! conciseness');
  });

  test('can be missed although every threshold is met, which is then said', async () => {
    // Half of the answers may be wrong, so the suite's pass score leaves room for the one that is not polite.
    ruled({ name: 'accuracy', threshold: 0.5 }, { name: 'politeness', description: 'It is polite.' });
    desk.configure({ judge: { model: 'offline/strict' } });
    const missed = await desk.run('run', 'agent.json', '--junit', 'j.xml', '--markdown', 'm.md');
    expect(missed.code).toBe(1);
    const words = "The suite's thresholds are met, but the contract is not kept: politeness.";
    expect(missed.out.replaceAll(/\s+/g, ' ')).toContain(words);
    expect(desk.read('m.md')).toContain('| `politeness` | strict | 3 of 4 | all |');
    expect(desk.read('j.xml')).toContain('<failure message="met: 3 of 4, required: all" type="gate"/>');
    const { summary, contract } = told((await desk.run('show', 'last', '--json')).out);
    expect([summary.passed, contract.verdict]).toEqual([true, 'fail']);
  });

  test('is played by another agent when one is named, by module or by id', async () => {
    desk.write('agent.mjs', "export default ({ parcel }) => ({ place: 'shelf ' + parcel });");
    const module = await desk.run('run', 'agent.json', '--agent', './agent.mjs', '--json');
    expect(module.code).toBe(0);
    expect(JSON.parse(module.out)).toMatchObject({
      agent: { agentId: 'local.cli.agent' },
      contract: { criteria: [{ met: 4 }, { met: 4 }, { met: 0 }] },
    });
    const run = { kind: 'module', path: 'agent.mjs' };
    desk.configure({ agents: [{ agentId: 'local.acme.other', version: '2.0.0', run }] });
    const named = await desk.run('run', 'agent.json', '--agent', 'local.acme.other', '--json');
    expect(JSON.parse(named.out).agent).toMatchObject({ agentId: 'local.acme.other', version: '2.0.0' });
  });

  test('takes the options of any run: tasks, repeats, a sample, a baseline, an SLA', async () => {
    const some = await desk.run('run', 'agent.json', '--only', 'p1,p2', '--repeats', '2', '--json');
    expect(JSON.parse(some.out)).toMatchObject({ contract: { tasks: { total: 4, selected: 2 } } });
    await desk.run('run', 'agent.json');
    const again = await desk.run('run', 'agent.json', '--baseline', 'last');
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('4 tasks scored as before')]);
    const sample = await desk.run('run', 'agent.json', '--sample', '2', '--json');
    expect(told(sample.out).contract).toMatchObject({ tasks: { total: 2 }, dataset: { rows: 2 } });
    const same = await desk.run('run', 'agent.json', '--sample', '2', '--json');
    expect(JSON.parse(same.out).suite).toEqual(JSON.parse(sample.out).suite);
    desk.write('agent.json', definition({ expected_latency_ms: 0 }));
    // An agent that answers within the same millisecond would meet even this bound.
    desk.write(
      'slow.mjs',
      "import { setTimeout as wait } from 'node:timers/promises';\nexport default async ({ parcel }) => { await wait(5); return { place: 'shelf ' + parcel }; };",
    );
    const slow = ['run', 'agent.json', '--agent', './slow.mjs'];
    const gate = await desk.run(...slow);
    expect([gate.code, gate.err]).toEqual([1, expect.stringMatching(/agent\.json:\d+:\d+ zero_latency/)]);
    expect((await desk.run(...slow, '--sla', 'warn')).code).toBe(0);
  });

  test('that nobody here can judge ends with 3, before a run or after it', async () => {
    ruled({ name: 'accuracy', threshold: 0.5 }, { name: 'politeness', description: 'It is polite.' });
    desk.configure({ models: { 'small-1': 'offline/agent' } });
    const unjudged = await desk.run('run', 'agent.json');
    expect([unjudged.code, unjudged.err]).toEqual([3, expect.stringContaining('need a judge')]);
    desk.configure({ judge: { model: 'offline/silent' } });
    const silent = await desk.run('run', 'agent.json');
    expect(silent.code).toBe(3);
    expect(silent.out).toContain('NOT JUDGED');
    expect(silent.out).toContain('No model could be asked about politeness');
  });

  test('with a model that nobody has mapped says what to write down', async () => {
    desk.configure({ models: {} });
    const { code, err } = await desk.run('run', 'agent.json');
    expect(code).toBe(2);
    expect(err).toContain('"models": {"small-1": "<provider>/<model>"}');
    expect(err).toContain('--agent');
  });
});

describe('a compiled suite file', () => {
  const AS = ['--agent-id', AGENT, '--out', 'build'];
  const run = (...more: string[]) =>
    desk.run('run', 'build/parcel-desk.suite.json', '--agent', AGENT, ...more, '--json');
  beforeEach(() => {
    desk.write(
      'agent.mjs',
      "export default ({ parcel }) => ({ place: 'shelf ' + (parcel === 4 ? 0 : parcel) });",
    );
    const agents = [{ agentId: AGENT, version: '1.0.0', run: { kind: 'module', path: 'agent.mjs' } }];
    desk.configure({ agents });
  });

  test('is run under the contract beside it, and its gates decide', async () => {
    await desk.run('compile', 'agent.json', ...AS);
    const kept = await run();
    expect([kept.code, told(kept.out).contract]).toMatchObject([
      0,
      { verdict: 'pass', criteria: [{ met: 4 }, { met: 3 }, { met: 0, status: 'warn' }] },
    ]);
    ruled({ name: 'accuracy', threshold: 0.9 });
    await desk.run('compile', 'agent.json', ...AS, '--force');
    const missed = await run();
    expect([missed.code, told(missed.out).contract.verdict]).toEqual([1, 'fail']);
    expect((await desk.run('validate', 'build')).code).toBe(0);
  });

  test('brings it along to a host whose folder both lie in, as long as it lies there', async () => {
    await desk.run('compile', 'agent.json', ...AS);
    const { createTouchstone, systemClock } = await import('../../../app/index.js');
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const contractOnHost = async () => {
      const touchstone = await createTouchstone({
        config: parseConfig({ suites: ['./build'] }, desk.cwd),
        dataDir: join(desk.cwd, 'host-data'),
        origin: 'host',
        log: silent,
        clock: systemClock,
      });
      try {
        const found = await touchstone.suites.find({ tenant: 'any', workspace: 'main' }, SUITE);
        return found && (await touchstone.store.suites.contractOf(found.owner, found.head.digest));
      } finally {
        await touchstone.close();
      }
    };
    expect((await contractOnHost())?.contract.suiteId).toBe(SUITE);
    rmSync(join(desk.cwd, 'build/parcel-desk.contract.json'));
    expect(await contractOnHost()).toBeUndefined();
  });

  test('is a plain suite without one, though the store still has the one it was run with', async () => {
    ruled({ name: 'accuracy', threshold: 0.5 });
    await desk.run('compile', 'agent.json', ...AS);
    expect((await run()).code).toBe(0);
    const contract = desk.read('build/parcel-desk.contract.json');
    rmSync(join(desk.cwd, 'build/parcel-desk.contract.json'));
    const plain = await run();
    expect([plain.code, plain.err]).toEqual([2, expect.stringContaining('Add "judge": {"model"')]);
    desk.write('build/parcel-desk.contract.json', contract);
    expect(told((await run()).out).contract.verdict).toBe('pass');
  });

  test('may have it elsewhere, and is a plain suite without any', async () => {
    ruled({ name: 'accuracy', threshold: 0.5 });
    await desk.run('compile', 'agent.json', ...AS);
    const contract = desk.read('build/parcel-desk.contract.json');
    rmSync(join(desk.cwd, 'build/parcel-desk.contract.json'));
    desk.write('mine.json', contract);
    const named = await run('--contract', 'mine.json');
    expect([named.code, told(named.out).contract.verdict]).toEqual([0, 'pass']);
    const plain = openContractCli();
    try {
      plain.configure({
        agents: [{ agentId: AGENT, version: '1.0.0', run: { kind: 'module', path: 'agent.mjs' } }],
      });
      plain.write('agent.mjs', desk.read('agent.mjs'));
      plain.write('a.suite.json', desk.read('build/parcel-desk.suite.json'));
      const { err } = await plain.run('run', 'a.suite.json', '--agent', AGENT);
      // Without the contract its criteria are prose, for a judge that is not there.
      expect(err).toContain('judge');
    } finally {
      plain.close();
    }
  });

  test.each<[string, (contract: { [member: string]: unknown }) => object, string]>([
    [
      'of another content',
      (c) => ({ ...c, suiteSha256: '0'.repeat(64) }),
      '/suiteSha256 The contract was compiled for another content',
    ],
    [
      'of another suite',
      (c) => ({ ...c, suiteVersion: '2.0.0' }),
      'This is the contract of local.acme.evals.parcel-desk@2.0.0',
    ],
    ['that is misshapen', (c) => ({ ...c, criteria: 3 }), '/criteria expected an array; got a number'],
    [
      'with a task too many',
      (c) => ({ ...c, tasks: { ...(c.tasks as object), p9: { criteria: [] } } }),
      '/tasks/p9 The suite has no task of this id',
    ],
    [
      'with a task too few',
      (c) => ({ ...c, tasks: { ...(c.tasks as object), p1: undefined } }),
      'The suite has a task p1, and the contract has not',
    ],
    [
      'with criteria that nobody knows',
      (c) => ({ ...c, criteria: [] }),
      '/tasks/p1/criteria/0 No criterion of the contract has this id',
    ],
    [
      'with a schema nobody can use',
      (c) => ({ ...c, tasks: withSchema(c.tasks) }),
      '/tasks/p1/schema This JSON Schema',
    ],
  ])('is refused beside a contract %s, at its line', async (_what, change, words) => {
    await desk.run('compile', 'agent.json', ...AS);
    const file = 'build/parcel-desk.contract.json';
    desk.write(file, change(JSON.parse(desk.read(file))));
    const { code, err } = await desk.run('run', 'build/parcel-desk.suite.json', '--agent', AGENT);
    expect(code).toBe(2);
    expect(err).toMatch(/build\/parcel-desk\.contract\.json:\d+:\d+ /);
    expect(err).toContain(words);
  });
  const withSchema = (tasks: unknown): object => {
    const { p1, ...others } = tasks as { readonly p1: object };
    return { p1: { ...p1, schema: { type: 'strange' } }, ...others };
  };

  test('is watched with its contract, and goes to another host without it, which is said', async () => {
    await desk.run('compile', 'agent.json', ...AS);
    const context = { io: desk.io, settings: SETTINGS };
    const { files } = await watchedBy(context, 'build/parcel-desk.suite.json', {});
    expect(files).toContain(join(desk.cwd, 'build/parcel-desk.contract.json'));
    const before = desk.written.err.length;
    tellContractsStay(context, await openSuites('build', desk.cwd));
    expect(desk.written.err.slice(before)).toContain('runs there without its contract');
  });

  test.each([
    [['run', 'agent.json', '--contract', 'c.json'], '--contract is the contract of one suite file'],
    [['run', 'build', '--contract', 'c.json'], '--contract is the contract of one suite file'],
    [
      ['run', 'build/parcel-desk.suite.json', '--contract', 'c.json', '--host', 'http://127.0.0.1:1'],
      '--contract cannot be combined with --host',
    ],
    [['run', '--resume', '--contract', 'c.json'], '--contract is about planning one'],
  ])('is what --contract is for: %j is refused', async (argv, words) => {
    await desk.run('compile', 'agent.json', ...AS);
    const { code, err } = await desk.run(...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  });
});

describe('a judge that is not there', () => {
  test('is not missed by tasks that do not need one', async () => {
    ruled({ name: 'accuracy' }, { name: 'politeness', description: 'It is polite.' });
    const rows = [1, 2].map((parcel) => ({
      id: `p${parcel}`,
      input: { parcel },
      expected: { place: `shelf ${parcel}` },
      criteria: parcel === 1 ? ['accuracy'] : ['accuracy', 'politeness'],
    }));
    desk.write('evals/rows.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    expect((await desk.run('run', 'agent.json', '--only', 'p1')).code).toBe(0);
    expect((await desk.run('run', 'agent.json', '--only', 'p2')).code).toBe(3);
  });
});

describe('advice that nobody can give', () => {
  test('does not stop a run, and is reported as not judged', async () => {
    ruled(
      { name: 'accuracy', threshold: 0.5 },
      { name: 'politeness', description: 'It is polite.', strict: false },
    );
    const { code, out } = await desk.run('run', 'agent.json', '--json');
    expect([code, told(out).contract]).toMatchObject([
      0,
      { verdict: 'pass', criteria: [{ status: 'pass' }, { strict: false, applicable: 0, unjudged: 4 }] },
    ]);
    expect((await desk.run('show', 'last')).out).toContain('4 not judged');
    ruled({ name: 'accuracy', threshold: 0.5 }, { name: 'politeness', description: 'It is polite.' });
    const refused = await desk.run('run', 'agent.json');
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('need a judge')]);
  });
});

describe('a manifest of several agents', () => {
  const RULES = [{ name: 'accuracy', threshold: 0.5 }];

  test('is run agent by agent, those that carry a contract', async () => {
    desk.write('manifest.json', manifest({ one: RULES, two: [{ name: 'accuracy' }], plain: undefined }));
    const { code, out } = await desk.run('run', 'manifest.json', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out).map((run: Told) => [run.exitCode, run.contract.suite.ref])).toEqual([
      [0, 'local.local.evals.one@1.0.0'],
      [1, 'local.local.evals.two@1.0.0'],
    ]);
    const one = await desk.run('run', 'manifest.json', '--only-agent', 'one', '--json');
    expect([one.code, JSON.parse(one.out)]).toEqual([0, [expect.objectContaining({ exitCode: 0 })]]);
  });

  test.each([
    [['--agent', 'x.mjs'], '--agent takes the part of one agent, and 2 of manifest.json have a profile.'],
    [['--only-agent', 'plain'], 'Agent plain carries no evaluation profile'],
    [['--only-agent', 'tow'], 'Did you mean two?'],
  ])('%j is refused with what to type', async (more, words) => {
    desk.write('x.mjs', 'export default () => 1;');
    desk.write('manifest.json', manifest({ one: RULES, two: RULES, plain: undefined }));
    const { code, err } = await desk.run('run', 'manifest.json', ...more);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  });

  test('may lie in several files, all of which are watched, with the dataset', async () => {
    desk.write('parts/one.json', manifestAgent('one', RULES));
    desk.write('manifest.json', { ...manifest({}), definitions: { one: { $ref: 'parts/one.json' } } });
    expect((await desk.run('run', 'manifest.json')).code).toBe(0);
    const { files, outputs } = await watchedBy({ io: desk.io, settings: SETTINGS }, 'manifest.json', {});
    for (const name of ['manifest.json', 'parts/one.json', 'evals/rows.jsonl'])
      expect(files, name).toContain(join(desk.cwd, name));
    expect(outputs).toContain(join(desk.cwd, 'manifest.json.lock.json'));
  });
});

test('a definition is watched, and run again when its rows change', async () => {
  const running = desk.run('run', 'agent.json', '--watch');
  await desk.seen('Waiting for a change');
  expect(desk.written.out).toContain('3 of 4');
  desk.write('evals/rows.jsonl', ROWS.replace('shelf 4', 'WRONG'));
  await desk.seen('now passing: p4');
  await desk.seen('Ctrl-C ends this.\nWaiting for a change');
  desk.signal('SIGINT');
  expect((await running).code).toBe(0);
});

describe('an interrupted run of a definition', () => {
  /** Made and not driven, as if the process had ended in between. */
  const create = (): Promise<void> =>
    withSession({ io: desk.io, settings: SETTINGS }, {}, 'work', async (session) => {
      const context = { io: desk.io, settings: SETTINGS };
      for (const source of await openSources(context, session, 'agent.json', {}))
        await startRun(context, session, driverOf(context.io, session), source, {});
    });

  test('is resumed with the agent, the rows and the contract it began with', async () => {
    await create();
    expect((await desk.run('run', '--resume')).code).toBe(0);
    await create();
    expect((await desk.run('run', 'agent.json', '--resume')).code).toBe(0);
  });

  test.each<[string, () => void, string]>([
    [
      'the definition',
      () => desk.write('agent.json', definition({ expected_latency_ms: 9000 })),
      'the definition agent.json has changed',
    ],
    [
      'the dataset',
      () => desk.write('evals/rows.jsonl', `${ROWS}\n`),
      'the dataset evals/rows.jsonl has changed',
    ],
  ])('is not resumed after a change of %s', async (_what, change, words) => {
    await create();
    change();
    const { code, err } = await desk.run('run', '--resume');
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  });

  test('takes no new options for its contract', async () => {
    const { code, err } = await desk.run('run', '--resume', '--sla', 'warn');
    expect([code, err]).toEqual([2, expect.stringContaining('--sla is about planning')]);
  });
});

describe('a dataset elsewhere', () => {
  let server: Server;
  let rows = ROWS;
  beforeEach(async () => {
    rows = ROWS;
    server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/x-ndjson');
      response.end(rows);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    desk.write('agent.json', definition({ golden_dataset_uri: `http://127.0.0.1:${port}/rows` }));
  });
  afterEach(() => new Promise<void>((resolve) => void server.close(() => resolve())));

  test('is pinned by the first run, and refused when it has become another', async () => {
    const first = await desk.run('run', 'agent.json');
    expect([first.code, first.err]).toEqual([0, expect.stringContaining('Wrote agent.json.lock.json')]);
    expect(first.err).toMatch(/agent\.json:\d+:\d+ dataset_unpinned/);
    expect((await desk.run('run', 'agent.json')).err).toBe('');
    rows = ROWS.replace('shelf 4', 'WRONG');
    const other = await desk.run('run', 'agent.json');
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('not the one that was pinned')]);
    expect((await desk.run('compile', 'agent.json', '--check')).code).toBe(2);
  });

  test('is compiled to the same files as one at hand, but for its name', async () => {
    expect((await desk.run('compile', 'agent.json', '--out', 'far')).code).toBe(0);
    expect(desk.has('agent.json.lock.json')).toBe(true);
    desk.write('agent.json', definition());
    expect((await desk.run('compile', 'agent.json', '--out', 'near')).code).toBe(0);
    expect(desk.read('far/parcel-desk.suite.json')).toBe(desk.read('near/parcel-desk.suite.json'));
    const [far, near] = ['far', 'near'].map((name) =>
      JSON.parse(desk.read(`${name}/parcel-desk.contract.json`)),
    );
    const { uri: _, ...dataset } = far.dataset;
    expect(near).toEqual({
      ...far,
      agent: { ...far.agent, sha256: near.agent.sha256 },
      dataset: { ...dataset, uri: 'evals/rows.jsonl' },
    });
    expect(Object.keys(far)).toEqual(Object.keys(near));
  });

  test('is not fetched by whoever only looks', async () => {
    const { code, out } = await desk.run('validate', 'agent.json');
    expect([code, out]).toEqual([0, expect.stringContaining('its dataset is elsewhere')]);
    expect(desk.has('agent.json.lock.json')).toBe(false);
  });
});

describe('another host', () => {
  test('compiles the definition with the rows that lie here, and tells of its gates', async () => {
    desk.write('agent.mjs', "export default ({ parcel }) => ({ place: 'shelf ' + (parcel % 4) });");
    const run = { kind: 'module', path: 'agent.mjs' };
    desk.configure({ agents: [{ agentId: 'local.acme.other', version: '1.0.0', run }] });
    const serving = desk.run('serve', '--port', '0', '--data', 'served');
    await desk.seen('This is the only time the key is shown');
    const [, url = '', key = ''] =
      desk.written.out.match(/listening (\S+)\nexport TOUCHSTONE_KEY=(\S+)\n/) ?? [];
    const person = openTestCli({ cwd: desk.cwd, env: { TOUCHSTONE_KEY: key } });
    const there = (...more: string[]) => person.run('run', 'agent.json', '--host', url, ...more);
    try {
      expect((await there()).err).toContain('Which agent?');
      expect((await there('--agent', 'local.acme.other', '--sla', 'warn')).err).toContain('by its own rules');
      const { code, out, err } = await there('--agent', 'local.acme.other', '--json');
      expect([code, err]).toEqual([0, '']);
      expect(JSON.parse(out)).toMatchObject({
        suite: { ref: `${SUITE}@1.0.0` },
        contract: { verdict: 'pass', criteria: [{ met: 4 }, { met: 3, applicable: 4 }, { met: 0 }] },
      });
      desk.write('agent.json', definition({ grading_rubric: [{ name: 'accuracy' }] }, '1.0.1'));
      const missed = await there('--agent', 'local.acme.other@1.0.0');
      expect([missed.code, missed.out]).toEqual([1, expect.stringContaining('✗ accuracy')]);
      desk.write('agent.json', definition({ grading_rubric: RUBRIC.slice(1) }, '1.0.1'));
      const conflict = await there('--agent', 'local.acme.other');
      expect([conflict.code, conflict.err]).toEqual([2, expect.stringContaining('Raise "version"')]);
    } finally {
      desk.signal('SIGTERM');
    }
    expect((await serving).code).toBe(0);
  });
});
