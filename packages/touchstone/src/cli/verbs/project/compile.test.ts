import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { main } from '../../main.js';
import { type Contracts, definition, manifest, openContractCli, ROWS } from '../../testing/contract-cli.js';

let desk: Contracts;
let outside: Contracts;
beforeEach(() => {
  desk = openContractCli();
  outside = openContractCli();
});
afterEach(() => {
  desk.close();
  outside.close();
});

const FILES = ['parcel-desk.contract.json', 'parcel-desk.suite.json'];
const texts = (folder: string): readonly string[] => FILES.map((name) => desk.read(`${folder}/${name}`));
const rubric = (...grading_rubric: readonly object[]): object => definition({ grading_rubric });

const CAPABILITY = {
  name: 'find',
  type: 'atomic',
  description: 'Finds a parcel.',
  inputs: {},
  outputs: {},
};

describe('touchstone compile', () => {
  test('tells what it has made, on a screen', async () => {
    const person = openContractCli({ isTTY: true });
    try {
      person.write(
        'agent.json',
        definition({
          expected_latency_ms: 0,
          grading_rubric: [
            { name: 'accuracy', threshold: 0.98 },
            { name: 'error_rate', description: 'How much of it is wrong.', threshold: 0.1 },
            { name: 'conciseness', description: 'Under 40 words.', strict: false },
          ],
        }),
      );
      const { code, out } = await person.run('compile', 'agent.json', '--no-color');
      expect(code).toBe(0);
      expect(out).toMatchSnapshot();
    } finally {
      person.close();
    }
  });

  test('gives the same bytes for the same input, and leaves files that hold them alone', async () => {
    await desk.run('compile', 'agent.json', '--out', 'one');
    await desk.run('compile', 'agent.json', '--out', 'two');
    expect(texts('one')).toEqual(texts('two'));
    const again = await desk.run('compile', 'agent.json', '--out', 'one');
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('suite.json (unchanged)')]);
    expect(readdirSync(join(desk.cwd, 'one')).sort()).toEqual(FILES);
    await desk.run('compile', 'agent.json', '--out', 'suites/evals');
    const { code, out } = await desk.run('validate', 'suites');
    // A contract that lies beside its suite is not taken for another one.
    expect([code, out.match(/✓/g)]).toEqual([0, ['✓']]);
  });

  test('does not overwrite another content of the same version unless it is told to', async () => {
    await desk.run('compile', 'agent.json', '--out', 'one');
    const before = texts('one');
    desk.write('agent.json', definition({ expected_latency_ms: 9000 }));
    const { code, err } = await desk.run('compile', 'agent.json', '--out', 'one');
    expect([code, err]).toEqual([2, expect.stringContaining('Raise "version" of the definition')]);
    expect(texts('one')).toEqual(before);
    expect(readdirSync(join(desk.cwd, 'one')).sort()).toEqual(FILES);
    expect((await desk.run('compile', 'agent.json', '--out', 'one', '--force')).code).toBe(0);
    expect(texts('one')).not.toEqual(before);
  });

  test('writes where it is told, under the ids it is told', async () => {
    const ids = ['--agent-id', 'vendor.acme.parcels', '--scope', 'core', '--org', 'shop'];
    const { out } = await desk.run('compile', 'agent.json', '--out', 'build/mine.json', ...ids, '--json');
    expect(JSON.parse(out)).toMatchObject({
      definition: 'agent.json',
      contracts: [
        {
          suite: { ref: 'core.shop.evals.parcel-desk@1.0.0' },
          tasks: 4,
          files: { suite: 'build/mine.json', contract: 'build/mine.contract.json' },
          criteria: [{ id: 'json-schema-validity' }, { id: 'accuracy', rate: 0.5 }, { id: 'conciseness' }],
        },
      ],
    });
    expect(JSON.parse(desk.read('build/mine.json')).targetAgentId).toBe('vendor.acme.parcels');
    expect(out).not.toMatch(/shelf|At most/);
  });

  test('checks without writing, and takes rows from elsewhere', async () => {
    desk.write('agent.json', definition({ golden_dataset_uri: null }));
    expect((await desk.run('compile', 'agent.json')).err).toContain('--rows <file>');
    desk.write('mine.jsonl', ROWS);
    const { code, out } = await desk.run(
      'compile',
      'agent.json',
      '--rows',
      'mine.jsonl',
      '--check',
      '--json',
    );
    expect([code, JSON.parse(out).contracts[0]]).toEqual([0, expect.objectContaining({ tasks: 4 })]);
    expect(readdirSync(desk.cwd).sort()).toEqual([
      'agent.json',
      'evals',
      'mine.jsonl',
      'script.json',
      'touchstone.config.json',
    ]);
  });

  test('compiles every agent of a manifest that has a profile, or the one that is named', async () => {
    const rules = [{ name: 'accuracy' }];
    desk.write('manifest.json', manifest({ one: rules, two: rules, plain: undefined }));
    expect((await desk.run('compile', 'manifest.json', '--out', 'all')).code).toBe(0);
    expect(readdirSync(join(desk.cwd, 'all')).sort()).toEqual([
      'one.contract.json',
      'one.suite.json',
      'two.contract.json',
      'two.suite.json',
    ]);
    const several = await desk.run('compile', 'manifest.json', '--out', 'x.json');
    expect([several.code, several.err]).toEqual([2, expect.stringContaining('--only-agent one')]);
    const one = await desk.run('compile', 'manifest.json', '--only-agent', 'two', '--check', '--json');
    expect(JSON.parse(one.out).contracts).toHaveLength(1);
  });

  test('tells a program that there is no profile, by the code that it has everywhere', async () => {
    desk.write('plain.json', { ...definition(), evaluation: undefined });
    const { code, out } = await desk.run('compile', 'plain.json', '--json');
    expect([code, JSON.parse(out).error]).toMatchObject([
      2,
      { code: 'validation_error', details: { code: 'no_profile', file: 'plain.json' } },
    ]);
  });

  test('stops at Ctrl-C and leaves nothing behind', async () => {
    const onSignal: typeof desk.io.onSignal = (listener) => {
      listener('SIGINT');
      return () => undefined;
    };
    expect(await main(['compile', 'agent.json', '--out', 'one'], { ...desk.io, onSignal })).toBe(130);
    expect(desk.has('one')).toBe(false);
  });

  test.each<[string, object, string | undefined, readonly (string | RegExp)[]]>([
    [
      'names that are the same, and a threshold out of range',
      rubric({ name: 'accuracy' }, { name: 'Accuracy', threshold: 95 }),
      undefined,
      [
        '2 things are wrong',
        /agent\.json:\d+:\d+ \/evaluation\/grading_rubric\/1\/name /,
        /agent\.json:\d+:\d+ \/evaluation\/grading_rubric\/1\/threshold /,
        'write 0.95 for 95 %',
      ],
    ],
    [
      'a member that is misspelt',
      rubric({ name: 'accuracy', treshold: 1 }),
      undefined,
      [/agent\.json:\d+:\d+ \/evaluation\/grading_rubric\/0\/treshold Unknown member/],
    ],
    [
      'a dataset that is not there',
      definition({ golden_dataset_uri: 'evals/nope.jsonl' }),
      undefined,
      [/agent\.json:\d+:\d+ \/evaluation\/golden_dataset_uri .*(does not exist|no such file)/],
    ],
    [
      'a dataset that a link leads out of the folder for',
      definition({ golden_dataset_uri: 'evals/outside.jsonl' }),
      undefined,
      ['golden_dataset_uri The dataset lies outside'],
    ],
    [
      'a schema of the agent that cannot be used',
      { ...definition(), capabilities: [{ ...CAPABILITY, outputs: { type: 'strange' } }] },
      undefined,
      [/agent\.json:\d+:\d+ \/capabilities\/0\/outputs .*cannot be used/],
    ],
    [
      'a schema of a row that cannot be used, and an input that the agent does not take',
      definition(),
      `${ROWS}${JSON.stringify({ input: { parcel: 5 }, expected: 1, schema: { pattern: '(' } })}\n{"input":{"parcel":"SECRET"},"expected":1}\n`,
      [
        /evals\/rows\.jsonl:5 \/schema .*cannot be used/,
        "evals/rows.jsonl:6 /input/parcel Expected an input that fits the agent's input schema: must be integer.",
      ],
    ],
    ['a row that is not JSON', definition(), `${ROWS}{"oops\n`, ['evals/rows.jsonl:5:']],
    [
      'rows of one id',
      definition(),
      `${ROWS}${ROWS.split('\n')[0]}\n`,
      ['evals/rows.jsonl:5 /id The id of this row becomes task id "p1"'],
    ],
    [
      'a scheme that nobody has set up',
      definition({ golden_dataset_uri: 's3://bucket/rows.jsonl' }),
      undefined,
      [/agent\.json:\d+:\d+ \/evaluation\/golden_dataset_uri .*s3:/],
    ],
    [
      'a pin that the dataset does not have',
      definition({ golden_dataset_uri: `evals/rows.jsonl#sha256=${'0'.repeat(64)}` }),
      undefined,
      [/agent\.json:\d+:\d+ \/evaluation\/golden_dataset_uri .*not the one that was pinned/],
    ],
  ])('refuses %s at its place', async (what, text, rows, expected) => {
    desk.write('agent.json', text);
    if (rows !== undefined) desk.write('evals/rows.jsonl', rows);
    symlinkSync(join(outside.cwd, 'evals/rows.jsonl'), join(desk.cwd, 'evals/outside.jsonl'));
    for (const argv of [
      ['compile', 'agent.json', '--out', 'one'],
      ['run', 'agent.json'],
    ]) {
      const { code, err } = await desk.run(...argv);
      expect(code, argv[0]).toBe(2);
      for (const words of expected) expect(err, argv[0]).toMatch(words);
    }
    expect(desk.has('one')).toBe(false);
    // Whoever only looks does not go elsewhere.
    expect((await desk.run('validate', 'agent.json')).code).toBe(what.includes('scheme') ? 0 : 2);
  });

  test.each([
    [['compile', 'nope.json'], 'There is no file nope.json'],
    [['compile', 'agent.json', '--check', '--out', 'x'], '--check writes nothing'],
    [['compile', 'agent.json', '--rows', 'nope.csv'], 'There is no file nope.csv'],
    [['compile', 'agent.json', '--scope', 'A B'], '--scope Expected at most 64 lower-case letters'],
    [['compile', 'agent.json', '--out', 'agent.json', '--force'], 'agent.json is the definition itself'],
    [['compile', 'agent.json', '--sample', '0'], 'whole number'],
    [['compile', 'agent.json', '--seed', 'spring'], '--seed chooses the rows of a sample'],
    [['compile', 'agent.json', '--suite-name', 'A.b'], '--suite-name Expected at most 64'],
    [['compile', 'agent.json', '--agent-id', 'local.acme.x@1.0.0'], '--agent-id Expected the id of an agent'],
    [['compile', 'script.json'], 'Expected an agent definition'],
    [
      ['run', 'x.suite.json', '--sla', 'warn'],
      '--sla is about an agent definition, and x.suite.json is none.',
    ],
    [['validate', 'nope.json'], 'an agent definition'],
  ])('%j is refused with what to do', async (argv, words) => {
    const { code, err } = await desk.run(...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(desk.read('agent.json')).toContain('Parcel Desk');
  });
});

describe('touchstone validate', () => {
  test('knows a definition by what it says, in YAML too, and compiles its contract', async () => {
    desk.write('agents/desk.yaml', '# A definition.\napiVersion: coreason.ai/v2\nkind: Agent\noops: 1\n');
    desk.write('plain.json', { ...definition(), evaluation: undefined });
    const { code, out } = await desk.run('validate', 'agent.json', 'plain.json', 'agents/desk.yaml');
    expect(code).toBe(2);
    expect(out).toContain('✓ agent.json  local.acme.evals.parcel-desk@1.0.0, 4 tasks');
    expect(out).toContain('carries no evaluation profile');
    expect(out).toMatch(/agents\/desk\.yaml:\d+:\d+ /);
    const json = JSON.parse((await desk.run('validate', 'agent.json', '--json')).out);
    expect(json.files[0].agents).toEqual([
      expect.objectContaining({ suite: 'local.acme.evals.parcel-desk@1.0.0', tasks: 4 }),
    ]);
  });
});

describe('touchstone doctor', () => {
  test('looks at where datasets come from, and at the embedder', async () => {
    desk.configure({
      datasets: {
        roots: ['evals', 'gone'],
        prefixes: { 's3://data/': 'evals/' },
        s3: { accessKeyEnv: 'NO_SUCH_KEY', secretKeyEnv: 'NO_SUCH_SECRET' },
      },
      embedder: { model: 'offline/embed' },
    });
    const { code, out } = await desk.run('doctor');
    expect(code).toBe(1);
    for (const words of [
      '✓ datasets  file: below evals',
      '✗ datasets  file: below gone: there is no such folder',
      '✓ datasets  s3://data/ is read from evals/',
      '✗ datasets  s3: NO_SUCH_KEY and NO_SUCH_SECRET are not set',
      '✗ embedder  embedder.model: provider "offline" is not asked over a network',
    ])
      expect(out.replace(/ +/g, ' ')).toContain(words.replace(/ +/g, ' '));
  });
});
