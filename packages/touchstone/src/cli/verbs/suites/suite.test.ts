import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keyPair } from '../../testing/pack-cli.js';
import { serveFolder, type TestRegistry } from '../../testing/suite-registry.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const NAME = 'acme.shop.evals.desk';
const AGENT = 'export default (input) => ({ answer: input.question });\n';
const alice = keyPair();
const mallory = keyPair();

const suite = (version: string, members: object = {}): object => ({
  suiteId: NAME,
  version,
  modes: ['golden'],
  tasks: [
    {
      taskId: 'hello',
      input: { question: 'hello' },
      expected: { kind: 'golden', match: { strategy: 'contains', value: 'hello' } },
    },
  ],
  ...members,
});
const file = (version: string): string => `dist/${NAME}-${version}.suite.json`;

let desk: TestCli;
let registry: TestRegistry;
beforeEach(async () => {
  desk = openTestCli();
  desk.write('agent.mjs', AGENT);
  desk.write('alice.pem', alice.privateKey);
  desk.write('alice.pub', alice.publicKey);
  desk.write('mallory.pem', mallory.privateKey);
  configure();
  registry = await serveFolder(join(desk.cwd, 'registry'));
});
afterEach(async () => {
  await registry.close();
  desk.close();
});

const configure = (
  trust: object = { keys: [{ keyId: 'alice', file: 'alice.pub' }] },
  more: object = {},
): void => desk.write('touchstone.config.json', { trust, ...more });

async function sign(version: string, { key = 'alice', members = {} } = {}): Promise<void> {
  desk.write(`src/${version}.suite.json`, suite(version, members));
  const argv = ['--key', `${key}.pem`, '--key-id', key, '--out', 'dist', '--force'];
  expect((await desk.run('suite', 'sign', `src/${version}.suite.json`, ...argv)).err).toBe('');
}
async function publish(...versions: readonly string[]): Promise<void> {
  for (const version of versions) await sign(version);
  const { code, err } = await desk.run('suite', 'publish', ...versions.map(file), 'registry');
  expect([code, err]).toEqual([0, '']);
}
const run = (wanted = `${NAME}@^1`, ...argv: readonly string[]) =>
  desk.run('run', wanted, '--agent', 'agent.mjs', '--json', ...argv);
const fromRegistry = (wanted?: string, ...argv: readonly string[]) =>
  run(wanted, '--registry', registry.url, ...argv);
const lock = () => JSON.parse(desk.read('touchstone.lock.json')).suites;

describe('suite sign and verify', () => {
  test('writes the document that travels and its envelope, from the file of an author', async () => {
    desk.write(
      'desk.suite.yaml',
      `suiteId: ${NAME}\nversion: 1.0.0\ntasks:\n  - taskId: hi\n    input: { question: hi }\n    expect: [{ not-refused: {} }]\n`,
    );
    const { code, out } = await desk.run(
      'suite',
      'sign',
      'desk.suite.yaml',
      '--key',
      'alice.pem',
      '--key-id',
      'alice',
    );
    expect([code, out]).toEqual([0, expect.stringContaining(`${NAME}-1.0.0.suite.json.dsse`)]);
    const verified = await desk.run('suite', 'verify', `${NAME}-1.0.0.suite.json`, '--json');
    expect(JSON.parse(verified.out)).toMatchObject({ admitted: true, verified: true, signedBy: 'alice' });
  });

  test('a suite that was changed, lost its envelope or has that of another version is told apart', async () => {
    await sign('1.0.0');
    await sign('1.1.0');
    desk.write(file('1.0.0'), suite('1.0.0', { thresholds: { passScore: 0.1 } }));
    const changed = await desk.run('suite', 'verify', file('1.0.0'));
    expect([changed.code, changed.err]).toEqual([1, expect.stringContaining('changed since it was signed')]);
    const other = await desk.run('suite', 'verify', file('1.1.0'), '--envelope', `${file('1.0.0')}.dsse`);
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('another suite or version')]);
    desk.write('alone.suite.json', suite('1.0.0'));
    expect((await desk.run('suite', 'verify', 'alone.suite.json', '--json')).out).toContain(
      '"verified": false',
    );
    configure({ policy: 'verified' });
    expect((await desk.run('suite', 'verify', 'alone.suite.json')).code).toBe(1);
    expect((await desk.run('suite', 'verify', 'nothing.suite.json')).code).toBe(2);
  });

  test('does not overwrite another suite, and leaves nothing half written', async () => {
    await sign('1.0.0');
    desk.write('src/other.suite.json', suite('1.0.0', { thresholds: { passScore: 0.1 } }));
    const before = desk.read(`${file('1.0.0')}.dsse`);
    const refused = await desk.run(
      'suite',
      'sign',
      'src/other.suite.json',
      '--key',
      'alice.pem',
      '--key-id',
      'alice',
      '-o',
      'dist',
    );
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--force')]);
    expect(desk.read(`${file('1.0.0')}.dsse`)).toBe(before);
    expect(readdirSync(join(desk.cwd, 'dist')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('suite publish', () => {
  test('lists versions for good: another content under a published version changes nothing', async () => {
    await publish('1.0.0', '1.2.0');
    const index = desk.read('registry/index.json');
    await sign('1.2.0', { members: { thresholds: { passScore: 0.1 } } });
    await sign('1.3.0');
    const refused = await desk.run('suite', 'publish', file('1.3.0'), file('1.2.0'), 'registry');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('never changes')]);
    expect(desk.read('registry/index.json')).toBe(index);
    expect(desk.has(`registry/${NAME}-1.3.0.suite.json`)).toBe(false);
  });

  test('takes the same again, and refuses an envelope that does not fit', async () => {
    await publish('1.0.0');
    const again = await desk.run('suite', 'publish', file('1.0.0'), 'registry', '--json');
    expect(JSON.parse(again.out).published[0]).toMatchObject({ outcome: 'same', signed: true });
    await sign('1.1.0');
    desk.write(`${file('1.1.0')}.dsse`, desk.read(`${file('1.0.0')}.dsse`));
    const refused = await desk.run('suite', 'publish', file('1.1.0'), 'registry');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('another suite or version')]);
    expect((await desk.run('suite', 'publish', 'registry')).code).toBe(2);
  });
});

describe('run <suite>@<range>', () => {
  test('fetches the highest version, verifies and pins it, and needs no registry afterwards', async () => {
    await publish('1.0.0', '1.2.0', '2.0.0');
    const first = await fromRegistry();
    expect([first.code, first.err]).toEqual([0, expect.stringContaining(`pinned ${NAME}@1.2.0`)]);
    expect(lock()).toEqual([
      {
        name: NAME,
        range: '^1',
        version: '1.2.0',
        digest: expect.stringMatching(/^sha256:/),
        registry: registry.url,
        keyId: 'alice',
      },
    ]);
    expect(JSON.parse(first.out).suite).toMatchObject({ ref: `${NAME}@1.2.0` });
    registry.asked();
    const offline = await run();
    expect([offline.code, registry.asked()]).toEqual([0, []]);
    await publish('1.3.0');
    expect(JSON.parse((await fromRegistry()).out).suite).toMatchObject({ ref: `${NAME}@1.2.0` });
    const shown = JSON.parse((await desk.run('show', 'last', '--json')).out);
    expect(JSON.stringify(shown)).toContain('1.2.0');
  });

  test('finds its registries in the configuration', async () => {
    await publish('1.0.0');
    configure(undefined, { registries: [registry.url] });
    expect((await run(NAME)).code).toBe(0);
    expect(lock()[0].version).toBe('1.0.0');
  });

  test('a registry that is gone stops nothing that is kept, and is named otherwise', async () => {
    await publish('1.0.0');
    expect((await fromRegistry()).code).toBe(0);
    await registry.close();
    expect((await run()).code).toBe(0);
    const { rmSync } = await import('node:fs');
    rmSync(join(desk.cwd, '.touchstone/registry-suites'), { recursive: true });
    const lost = await run();
    expect([lost.code, lost.err]).toEqual([
      3,
      expect.stringContaining('is pinned, and is not kept on this machine'),
    ]);
    rmSync(join(desk.cwd, 'touchstone.lock.json'));
    const unreachable = await fromRegistry();
    expect([unreachable.code, unreachable.err]).toEqual([3, expect.stringContaining('cannot be reached')]);
    expect(existsSync(join(desk.cwd, 'touchstone.lock.json'))).toBe(false);
  });

  test('a changed registry cannot change what is pinned', async () => {
    await publish('1.0.0');
    await fromRegistry();
    const { rmSync } = await import('node:fs');
    rmSync(join(desk.cwd, '.touchstone/registry-suites'), { recursive: true });
    rmSync(join(desk.cwd, 'registry'), { recursive: true });
    await sign('1.0.0', { members: { thresholds: { passScore: 0.1 } } });
    expect((await desk.run('suite', 'publish', file('1.0.0'), 'registry')).code).toBe(0);
    const refused = await run();
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('touchstone.lock.json pins')]);
    const update = await desk.run('suite', 'update');
    expect([update.code, update.err]).toEqual([2, expect.stringContaining('touchstone.lock.json pins')]);
  });

  test('a kept file that was changed is fetched again', async () => {
    await publish('1.0.0');
    await fromRegistry();
    const [kept] = readdirSync(join(desk.cwd, '.touchstone/registry-suites'));
    desk.write(`.touchstone/registry-suites/${kept?.replace('.dsse', '')}`, suite('1.0.0', { tasks: [] }));
    registry.asked();
    expect((await run()).code).toBe(0);
    expect(registry.asked()).toContain('/suites/index.json');
  });

  const tamper: readonly (readonly [string, () => Promise<void> | void, number, string])[] = [
    ['an unknown suite', () => configure(), 2, 'There is no suite'],
    [
      'a suite that is not what the index says',
      () => desk.write(`registry/${NAME}-1.0.0.suite.json`, suite('1.0.0', { thresholds: { passScore: 0 } })),
      2,
      'It was changed after it was published',
    ],
    [
      'another version in the place of this one',
      () => desk.write(`registry/${NAME}-1.0.0.suite.json`, suite('0.9.0')),
      2,
      'and the index says',
    ],
    [
      'no JSON',
      () => desk.write(`registry/${NAME}-1.0.0.suite.json`, 'hello'),
      2,
      'no JSON document of a suite',
    ],
    ['an index that is none', () => desk.write('registry/index.json', '{}'), 2, 'is not the index.json'],
    [
      'a path out of the folder',
      () =>
        desk.write(
          'registry/index.json',
          desk.read('registry/index.json').replace('"suite": "', '"suite": "../'),
        ),
      2,
      'is not the index.json',
    ],
    [
      'an envelope with a changed signature',
      () => {
        const envelope = JSON.parse(desk.read(`registry/${NAME}-1.0.0.suite.json.dsse`));
        envelope.signatures[0].sig = Buffer.alloc(64).toString('base64');
        desk.write(`registry/${NAME}-1.0.0.suite.json.dsse`, envelope);
      },
      2,
      'does not fit',
    ],
    [
      'an envelope of a stranger, under verified',
      async () => {
        await sign('1.0.0', { key: 'mallory' });
        desk.write(`registry/${NAME}-1.0.0.suite.json.dsse`, desk.read(`${file('1.0.0')}.dsse`));
        configure({ policy: 'verified', keys: [{ keyId: 'alice', file: 'alice.pub' }] });
      },
      2,
      'not in trust.keys',
    ],
    [
      'a key for other names',
      () => configure({ keys: [{ keyId: 'alice', file: 'alice.pub', names: ['acme.sales.*'] }] }),
      2,
      'limits to other names',
    ],
    [
      'an oversized index',
      () =>
        registry.answer('/suites/index.json', (r) =>
          r.writeHead(200, { 'content-length': 99_999_999 }).end(),
        ),
      2,
      'larger than',
    ],
    [
      'a redirect to this network',
      () =>
        registry.answer('/suites/index.json', (r) =>
          r.writeHead(302, { location: 'https://10.0.0.1/index.json' }).end(),
        ),
      2,
      'not public',
    ],
    [
      'an endless redirect',
      () =>
        registry.answer('/suites/index.json', (r) =>
          r.writeHead(302, { location: '/suites/index.json' }).end(),
        ),
      2,
      'redirected more than',
    ],
    [
      'a registry that denies',
      () => registry.answer('/suites/index.json', (r) => r.writeHead(403).end()),
      2,
      'denied',
    ],
    [
      'a registry that fails',
      () => registry.answer('/suites/index.json', (r) => r.writeHead(500).end()),
      3,
      'cannot be reached',
    ],
  ];
  test.each(tamper)('%s is refused, and nothing is pinned or run', async (what, change, code, words) => {
    await publish('1.0.0');
    await change();
    const answer = await fromRegistry(what === 'an unknown suite' ? 'acme.shop.evals.dusk@^1' : undefined);
    expect([answer.code, answer.err]).toEqual([code, expect.stringContaining(words)]);
    expect(desk.has('touchstone.lock.json')).toBe(false);
    expect(JSON.parse((await desk.run('runs', '--json')).out).items ?? []).toEqual([]);
  });

  test('a range that nothing fits names what there is, and a registry must be named safely', async () => {
    await publish('1.0.0');
    const none = await fromRegistry(`${NAME}@^3`);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('Published there: 1.0.0')]);
    const nowhere = await run();
    expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining('no registry to look in')]);
    for (const url of ['http://registry.example/', 'ftp://x/', 'https://u:p@x.example/', 'nowhere'])
      expect((await run(`${NAME}@^1`, '--registry', url)).err).toContain(
        'Expected the address of a registry',
      );
    expect((await desk.run('run', 'src', '--registry', registry.url)).code).toBe(2);
  });

  test('a pin that the range does not include is not moved by a run', async () => {
    await publish('1.0.0', '2.0.0');
    await fromRegistry();
    const other = await fromRegistry(`${NAME}@^2`);
    expect([other.code, other.err]).toEqual([
      2,
      expect.stringContaining("touchstone suite update 'acme.shop.evals.desk@^2'"),
    ]);
  });

  test('a pinned signature that is no longer trusted is refused', async () => {
    await publish('1.0.0');
    await fromRegistry();
    configure({});
    const refused = await run();
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('is pinned with the signature of key alice'),
    ]);
  });
});

describe('suite update', () => {
  test('moves a pin within its range, or to another, and never back without being told', async () => {
    await publish('1.0.0');
    await fromRegistry();
    await publish('1.1.0', '2.0.0');
    expect((await desk.run('suite', 'update')).out).toContain('1.0.0 → 1.1.0');
    expect((await desk.run('suite', 'update', `${NAME}@^2`)).out).toContain('1.1.0 → 2.0.0');
    expect(lock()[0]).toMatchObject({ range: '^2', version: '2.0.0' });
    const back = await desk.run('suite', 'update', `${NAME}@^1`);
    expect([back.code, back.err]).toEqual([2, expect.stringContaining('--allow-downgrade')]);
    expect(lock()[0].version).toBe('2.0.0');
    expect((await desk.run('suite', 'update', `${NAME}@^1`, '--allow-downgrade')).code).toBe(0);
    expect(lock()[0].version).toBe('1.1.0');
  });

  test('without pins there is nothing to move', async () => {
    expect((await desk.run('suite', 'update')).code).toBe(2);
    desk.write('touchstone.lock.json', '{"format":"touchstone.lock/1","suites":[{}]}');
    const folder = join(desk.cwd, 'other');
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(folder, 'touchstone.lock.json'), { recursive: true });
    desk.write('other/touchstone.config.json', {});
    const odd = await desk.run('suite', 'update', '--config', 'other/touchstone.config.json');
    expect([odd.code, odd.err]).toEqual([2, expect.stringContaining('not a regular file')]);
    const broken = await desk.run('suite', 'update');
    expect([broken.code, broken.err]).toEqual([2, expect.stringContaining('is not a lock file')]);
  });
});
