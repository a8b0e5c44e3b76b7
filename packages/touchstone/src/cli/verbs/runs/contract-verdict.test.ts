import { asId, type RunId, type Scorecard } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withTouchstone } from '../../local.js';
import { type Contracts, type Criterion, definition, openContractCli } from '../../testing/contract-cli.js';
import { envelopeOf, forge, signedAgain, withStatement } from '../../testing/evidence-cli.js';
import { openTestCli } from '../../testing/test-cli.js';

let desk: Contracts;
beforeEach(() => {
  desk = openContractCli();
});
afterEach(() => desk.close());

const FILE = 'card.json';
const ruled = (...rubric: readonly Criterion[]): void =>
  desk.write('agent.json', definition({ grading_rubric: rubric }));
const json = async (...argv: string[]) => JSON.parse((await desk.run(...argv, '--json')).out);
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Every threshold is met, and the gate of politeness is missed. */
async function runMissed(): Promise<RunId> {
  ruled({ name: 'accuracy', threshold: 0.5 }, { name: 'politeness', description: 'It is polite.' });
  desk.configure({ judge: { model: 'offline/strict' } });
  const { exitCode, runId, summary } = await json('run', 'agent.json');
  expect([exitCode, summary.passed]).toEqual([1, true]);
  return asId<RunId>(runId);
}

describe('a contract that is not kept, with every threshold met, is told so', () => {
  test('in the list of runs', async () => {
    await runMissed();
    expect((await desk.run('runs')).out).toContain('✗ failed');
    expect((await json('runs')).items).toMatchObject([
      { verdict: 'fail', headline: { passed: true, contractVerdict: 'fail' } },
    ]);
  });

  test('of a baseline, when it is blessed, listed and shown', async () => {
    await runMissed();
    const blessed = await desk.run('baseline', 'bless', 'last');
    expect(blessed.out).toMatch(/contract {2}not kept; the thresholds of the suite are met/);
    expect(await json('baseline', 'bless', 'last')).toMatchObject({ contractVerdict: 'fail' });
    expect((await desk.run('baseline', 'list')).out).toMatch(/contract\n.*not kept\n/);
    expect((await desk.run('baseline', 'show')).out).toMatch(/contract +not kept\n/);
    for (const verb of ['list', 'show'])
      expect((await json('baseline', verb)).items).toMatchObject([{ contractVerdict: 'fail' }]);
  });

  test('in a scorecard file, by whoever writes it and whoever checks it', async () => {
    await runMissed();
    const written = await desk.run('export', 'last', '--out', FILE);
    const told = { passed: true, contract: { verdict: 'fail' }, verdict: 'fail' };
    expect(await json('export', 'last', '--out', FILE)).toMatchObject(told);
    const checked = await desk.run('verify', FILE);
    expect(checked.code).toBe(0);
    expect(await json('verify', FILE)).toMatchObject({ ...told, verified: true, log: { state: 'matches' } });
    for (const { out } of [written, checked]) {
      expect(out).toContain('FAIL · score 0.75');
      expect(out).toMatch(/contract +not kept; the thresholds of the suite are met/);
      expect(out).not.toContain('of the thresholds alone');
    }
  });

  test('of each of two runs that are compared', async () => {
    await runMissed();
    await desk.run('run', 'agent.json');
    expect((await desk.run('compare', 'last~1', 'last')).out).toMatch(/contract +not kept +not kept/);
    expect(await json('compare', 'last~1', 'last')).toMatchObject({
      before: { contract: { verdict: 'fail' } },
      after: { contract: { verdict: 'fail' } },
    });
  });

  test('of a run with gates that nobody could decide: it is not judged', async () => {
    ruled({ name: 'accuracy', threshold: 0.5 }, { name: 'politeness', description: 'It is polite.' });
    desk.configure({ judge: { model: 'offline/silent' } });
    expect((await desk.run('run', 'agent.json')).code).toBe(3);
    expect((await desk.run('runs')).out).toContain('unjudged');
    await desk.run('export', 'last', '--out', FILE);
    expect((await desk.run('verify', FILE)).out).toContain('NOT JUDGED');
  });
});

describe('a scorecard file under a contract', () => {
  const edit = async (change: (card: { -readonly [K in keyof Scorecard]: Scorecard[K] }) => void) => {
    await desk.run('export', 'last', '--out', FILE);
    const text = desk.read(FILE);
    const [signature] = envelopeOf(text).signatures;
    const changed = withStatement(text, ({ predicate }) => change(predicate.scorecard));
    desk.write(FILE, signedAgain(changed, desk.read('.touchstone/signing-key.pem'), signature?.keyid ?? ''));
    return json('verify', FILE);
  };

  test('that is edited to say the other verdict is not believed where the run is', async () => {
    await runMissed();
    const answer = await edit((card) => {
      card.contractVerdict = 'pass';
    });
    expect(answer).toMatchObject({ verified: false, exitCode: 1, reasons: [{ code: 'other_log' }] });
    expect(answer.reasons[0].message).toContain('It differs in: contractVerdict.');
  });

  test('that says nothing of its contract is an older one, and is believed in the rest', async () => {
    await runMissed();
    const answer = await edit((card) => {
      delete card.contractVerdict;
    });
    expect(answer).toMatchObject({ verified: true, passed: true, log: { state: 'matches' } });
    expect(flat((await desk.run('verify', FILE)).out)).toContain(
      'the result is that of the thresholds alone',
    );
  });

  test('contradicts itself with a verdict on no contract, or bars that its results do not meet', async () => {
    ruled({ name: 'accuracy', threshold: 0.5 });
    await desk.run('run', 'agent.json', '--only', 'p4');
    const stray = await edit((card) => {
      delete card.contract;
    });
    expect(JSON.stringify(stray.reasons)).toContain('contractVerdict is there, and no contract.');
    const bars = await edit((card) => {
      card.otherBarsMet = false;
    });
    expect(JSON.stringify(bars.reasons)).toContain('otherBarsMet does not follow from the results.');
  });
});

test('a run whose end was written down before contracts had a word in it is neither passed nor failed', async () => {
  const runId = await runMissed();
  const context = { io: desk.io, settings: { data: '.touchstone', json: false, color: false } };
  await withTouchstone(context, 'store', ({ touchstone }) =>
    forge(
      touchstone,
      runId,
      (entry) => entry,
      ({ headline }) => {
        const { contractVerdict: _, ...older } = headline as NonNullable<typeof headline>;
        return older;
      },
    ),
  );
  const { items } = await json('runs');
  const older = items.find((run: { runId: string }) => run.runId === 'forged');
  expect(older).toMatchObject({ status: 'completed', headline: { passed: true } });
  expect(older).not.toHaveProperty('verdict');
  expect((await desk.run('runs')).out).toMatch(/forged .* completed/);
  // Who folds it anew finds out, and a replay finds nothing that diverges.
  expect((await json('show', 'forged')).contract.verdict).toBe('fail');
  const replayed = await desk.run('replay', 'forged');
  expect([replayed.code, replayed.err]).toEqual([0, expect.not.stringContaining('diverged')]);
});

describe('some tasks of a suite under a contract', () => {
  test('pass when every gate holds over them, whatever the pass score of the whole suite', async () => {
    // The last row is advice alone: it may take a quarter of the mean of four tasks, and half of that of two.
    ruled({ name: 'accuracy', threshold: 0.5, strict: false }, { name: 'json_validity', threshold: 0.75 });
    desk.write(
      'evals/rows.jsonl',
      desk
        .read('evals/rows.jsonl')
        .split('\n')
        .filter((line) => line !== '')
        .map((line, at) =>
          JSON.stringify({ ...JSON.parse(line), ...(at === 3 && { criteria: ['accuracy'] }) }),
        )
        .join('\n'),
    );
    const only = await desk.run(
      'run',
      'agent.json',
      '--only',
      'p3,p4',
      '--junit',
      'j.xml',
      '--markdown',
      'm.md',
    );
    expect(only.code).toBe(0);
    expect(only.out).toContain('PASS');
    expect(flat(only.out)).toContain('The pass score is a threshold for all tasks of the suite');
    for (const text of [only.out, desk.read('m.md')]) expect(text).not.toContain('chance alone');
    expect(desk.read('j.xml')).toContain('failures="0"');
    expect(desk.read('m.md')).toMatch(/\| score \|.*\| – \|/);
    const { summary, contract } = await json('show', 'last');
    expect(summary).toMatchObject({ aggregateScore: 0.5, passed: false });
    expect(contract).toMatchObject({ verdict: 'pass', summary: { passed: false, otherBarsMet: true } });
    expect((await desk.run('runs')).out).toContain('✓ passed');
    await desk.run('export', 'last', '--out', FILE);
    expect(await json('verify', FILE)).toMatchObject({ verdict: 'pass', passed: false, verified: true });
  });

  test('fail by a gate that does not hold over them', async () => {
    ruled({ name: 'accuracy', threshold: 0.5 });
    expect((await desk.run('run', 'agent.json', '--only', 'p4')).code).toBe(1);
    expect((await desk.run('run', 'agent.json', '--only', 'p1,p4')).code).toBe(0);
  });

  test('are held to the pass score where the suite is run without its contract', async () => {
    ruled({ name: 'json_validity' });
    await desk.run('compile', 'agent.json', '--out', 'build', '--agent-id', 'local.cli.agent');
    desk.write('agent.mjs', "export default () => 'no JSON';");
    const suite = { ...JSON.parse(desk.read('build/parcel-desk.suite.json')), thresholds: { passScore: 1 } };
    suite.tasks = suite.tasks.map((task: object) => ({
      ...task,
      expected: { kind: 'golden', match: { strategy: 'exact', value: 'JSON' } },
    }));
    desk.write('plain.suite.json', { ...suite, modes: ['golden'] });
    const plain = await desk.run('run', 'plain.suite.json', '--agent', './agent.mjs', '--only', 'p1');
    expect(plain.code).toBe(1);
    expect(plain.out).not.toContain('contract');
    expect(plain.out).toMatch(/score .*✗/);
  });
});

describe('a task that misses what the contract lets some tasks miss', () => {
  test('is a passed case of a JUnit report, with a note of it', async () => {
    expect((await desk.run('run', 'agent.json', '--junit', 'j.xml')).code).toBe(0);
    const xml = desk.read('j.xml');
    expect(xml).toMatch(/<testsuite [^>]*tests="6" failures="0" errors="0"/);
    expect(xml).not.toContain('<failure');
    expect(xml).toMatch(
      /name="p4"[^>]*>\n +<system-out>score 0\.50: misses accuracy \(met: 3 of 4, required: 50 %\), which the contract allows<\/system-out>/,
    );
  });

  test('is a failure beside the gate that it makes fail', async () => {
    ruled({ name: 'json_schema_validity' }, { name: 'accuracy' });
    expect((await desk.run('run', 'agent.json', '--junit', 'j.xml')).code).toBe(1);
    const xml = desk.read('j.xml');
    expect(xml).toContain('failures="2" errors="0"');
    expect(xml).toMatch(/name="p4"[^>]*>\n +<failure/);
  });
});

test('another host lists its runs with the word of the contract, and blames no task while every gate is kept', async () => {
  desk.write('agent.mjs', "export default ({ parcel }) => ({ place: 'shelf ' + (parcel % 4) });");
  const run = { kind: 'module', path: 'agent.mjs' };
  desk.configure({ agents: [{ agentId: 'local.acme.other', version: '1.0.0', run }] });
  const serving = desk.run('serve', '--port', '0', '--data', 'served');
  await desk.seen('This is the only time the key is shown');
  const [, url = '', key = ''] =
    desk.written.out.match(/listening (\S+)\nexport TOUCHSTONE_KEY=(\S+)\n/) ?? [];
  const person = openTestCli({ cwd: desk.cwd, env: { TOUCHSTONE_KEY: key } });
  const there = ['--host', url, '--agent', 'local.acme.other', '--junit', 'j.xml'];
  try {
    expect((await person.run('run', 'agent.json', ...there)).code).toBe(0);
    expect(desk.read('j.xml')).toContain('failures="0"');
    expect((await person.run('run', 'agent.json', '--only', 'p4', ...there)).code).toBe(1);
    expect(desk.read('j.xml')).toMatch(/name="p4"[^>]*>\n +<failure/);
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}/v1/host/touchstone/runs`, { headers });
    const { items } = (await answer.json()) as { items: { touchstone: { headline: object } }[] };
    expect(items.map(({ touchstone }) => touchstone.headline)).toMatchObject([
      { passed: false, contractVerdict: 'fail', otherBarsMet: true },
      { passed: true, contractVerdict: 'pass' },
    ]);
  } finally {
    desk.signal('SIGTERM');
  }
  expect((await serving).code).toBe(0);
});

test('a task under advice alone passes in files of tasks and in its own view, as it does in the summary', async () => {
  ruled({ name: 'accuracy', strict: false });
  const { summary } = await json('run', 'agent.json', '--output', 'r.jsonl');
  expect(summary.tasks.at(-1)).toMatchObject({ taskId: 'p4', score: 0, passed: true });
  const rows = desk.read('r.jsonl').trimEnd().split('\n');
  expect(rows.map((line) => JSON.parse(line).passed)).toEqual([true, true, true, true]);
  expect(await json('show', 'last', '--task', 'p4')).toMatchObject({ score: 0, passed: true });
});
