import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPack } from '../../../packs/open-pack.js';
import {
  AGENT,
  agentEntry,
  keyPair,
  manifest,
  openPackCli,
  PACK,
  type PackCli,
  SUITE,
  suite,
} from '../../testing/pack-cli.js';

let desk: PackCli;
beforeEach(() => {
  desk = openPackCli();
});
afterEach(() => desk.close());

const ARCHIVE = `${PACK}-1.0.0.tgz`;
const bytes = (name: string): Buffer => readFileSync(join(desk.cwd, name));

describe('pack build', () => {
  test('writes the archive here, says what is in it, and gives the same bytes again', async () => {
    const { code, out } = await desk.run('pack', 'build', 'support');
    expect(code).toBe(0);
    expect(out.replace(/sha256-\S+/, 'sha256-…')).toMatchInlineSnapshot(`
      "  Built vendor.acme.support@1.0.0
        file       vendor.acme.support-1.0.0.tgz
        integrity  sha256-…
        files      3
        agent      vendor.acme.support.default
        suite      vendor.acme.evals.support@1.0.0, 2 tasks
        signed by  nobody
      "
    `);
    const first = bytes(ARCHIVE);
    expect((await desk.run('pack', 'build', 'support')).code).toBe(0);
    expect(bytes(ARCHIVE).equals(first)).toBe(true);
    const document = JSON.parse((await desk.run('pack', 'build', 'support', '--json')).out);
    expect(document).toMatchObject({
      file: ARCHIVE,
      name: PACK,
      version: '1.0.0',
      files: 3,
      agents: [{ agentId: AGENT, suite: `${SUITE}@1.0.0` }],
      suites: [{ ref: `${SUITE}@1.0.0`, tasks: 2 }],
      warnings: [],
    });
    expect(document.integrity).toMatch(/^sha256-/);
  });

  test('overwrites another file only by force', async () => {
    await desk.run('pack', 'build', 'support', '--out', 'x.tgz');
    const before = bytes('x.tgz');
    desk.write('support/prompts/support.md', 'Answer briefly.\n');
    const device = await desk.run('pack', 'build', 'support', '-o', '/dev/null', '--force');
    expect([device.code, device.err]).toEqual([2, expect.stringContaining('not a regular file')]);
    const { code, err } = await desk.run('pack', 'build', 'support', '-o', 'x.tgz');
    expect(code).toBe(2);
    expect(err).toContain('--force');
    expect(bytes('x.tgz').equals(before)).toBe(true);
    expect((await desk.run('pack', 'build', 'support', '-o', 'x.tgz', '--force')).code).toBe(0);
    expect(bytes('x.tgz').equals(before)).toBe(false);
  });

  test('puts nothing into the pack that the next archive would hold', async () => {
    const inside = await desk.run('pack', 'build', 'support', '--out', 'support/x.tgz');
    expect(inside.code).toBe(2);
    expect(inside.err).toContain('--out ../');
    desk.write('support/key.pem', keyPair().privateKey);
    const leaking = await desk.run('pack', 'build', 'support');
    expect(leaking.code).toBe(2);
    expect(leaking.err).toContain('private key lies inside the pack and would be published with it: key.pem');
    expect(existsSync(join(desk.cwd, ARCHIVE))).toBe(false);
  });

  test('and verifying warn of a suite whose tasks the agent does not take', async () => {
    desk.write('support/schemas/task.json', { type: 'object', required: ['order'] });
    const handoff = { taskSchemaRef: 'schemas/task.json' };
    desk.write('support/pack.json', manifest({ agents: [agentEntry({ handoff })] }));
    const warning = `! Task hours of ${SUITE}@1.0.0 does not fit the task schema of agent ${AGENT}`;
    for (const verb of ['build', 'verify']) {
      const { code, out } = await desk.run('pack', verb, 'support');
      expect(code).toBe(0);
      expect(out).toContain(warning);
    }
  });

  test('with a mistake in pack.json gives its place', async () => {
    desk.write('support/pack.json', '{\n  "name": "a",\n  "name": "b"\n}');
    const { code, err } = await desk.run('pack', 'build', 'support');
    expect(code).toBe(2);
    expect(err).toContain('error invalid_manifest: pack.json:3:3 /name ');
  });

  test('from inside the pack, the archive goes beside it', async () => {
    const within = openPackCli({ cwd: desk.cwd });
    const inside = { ...within.io, cwd: join(desk.cwd, 'support') };
    const { main } = await import('../../main.js');
    expect(await main(['pack', 'build', '.'], inside)).toBe(0);
    expect(existsSync(join(desk.cwd, ARCHIVE))).toBe(true);
  });

  test('of a folder that does not hold together tells which agent, which file and what', async () => {
    desk.write('support/evals/support.json', { ...suite(), modes: [] });
    const broken = await desk.run('pack', 'build', 'support');
    expect(broken.code).toBe(2);
    expect(broken.err).toContain(`error invalid_manifest: Agent ${AGENT}: evalSuiteRef "evals/support.json"`);
    expect(broken.err).toContain('is not a suite: line 1, /modes');
    expect(broken.err).toContain('touchstone validate <folder of the pack>/evals/support.json');
    const agents = [agentEntry({ evalSuiteRef: `${SUITE}@1.0.0` })];
    desk.write('support/pack.json', manifest({ agents }));
    const installed = await desk.run('pack', 'install', 'support');
    expect(installed.err).toContain(
      `Agent ${AGENT}: evalSuiteRef "${SUITE}@1.0.0" is not a file of the pack`,
    );
    expect(installed.err).toContain('Name a file by its path from the root of the pack in "evalSuiteRef"');
    desk.write('support/pack.json', manifest({ version: 'one' }));
    expect((await desk.run('pack', 'build', 'support')).err).toContain('/version');
    expect((await desk.run('pack', 'build', 'evals')).err).toContain('There is no pack at evals.');
  });
});

describe('a pack whose agent carries a contract', () => {
  const PROFILE = `evaluation/${AGENT}.yaml`;
  const ROWS = 'evaluation/rows.jsonl';
  const profile = (threshold: number): string =>
    [
      `golden_dataset_uri: ${ROWS}`,
      'grading_rubric:',
      `  - { name: exact_match, threshold: ${threshold} }`,
      '  - { name: non_empty, strict: false }',
      '',
    ].join('\n');
  beforeEach(() => {
    desk.write('support/pack.json', manifest({ agents: [agentEntry({ evalSuiteRef: undefined })] }));
    desk.write(`support/${PROFILE}`, profile(0.9));
    desk.write(`support/${ROWS}`, '{"input":"a","expected":"b"}\n{"input":"c","expected":"d"}\n');
  });

  test('is built and verified with what the contract asks for', async () => {
    const words = [
      `agent      ${AGENT}\n`,
      `contract   ${PROFILE}: 2 criteria, 1 strict; 2 tasks of 2 rows in ${ROWS}\n`,
      `suite      ${SUITE}@1.0.0, 2 tasks\n`,
    ];
    for (const verb of ['build', 'verify']) {
      const { code, out, err } = await desk.run('pack', verb, 'support');
      expect([code, err], verb).toEqual([0, '']);
      for (const line of words) expect(out).toContain(line);
      expect(JSON.parse((await desk.run('pack', verb, 'support', '--json')).out)).toMatchObject({
        agents: [
          {
            agentId: AGENT,
            contract: {
              file: PROFILE,
              compiled: {
                suite: `${SUITE}@1.0.0`,
                criteria: 2,
                strict: 1,
                tasks: 2,
                dataset: { uri: ROWS, rows: 2 },
              },
            },
          },
        ],
      });
    }
    // Signing reads nothing but the pack, and says no less of it than it knows.
    desk.write('key.pem', keyPair().privateKey);
    const signed = await desk.run('pack', 'sign', ARCHIVE, '--key', 'key.pem', '--key-id', 'acme');
    expect(signed.out).toContain(`contract   ${PROFILE}\n`);
  });

  test.each([
    ['a criterion', `support/${PROFILE}`, profile(90), `${PROFILE}:3:26 /grading_rubric/0/threshold: `],
    ['a row', `support/${ROWS}`, '{"input":"a","expected":"b"}\n{"expected":"d"}\n', `${ROWS}:2:1 /1: `],
  ])('with a mistake in %s is neither built nor verified nor installed', async (_, file, text, place) => {
    desk.write(file, text);
    for (const [verb, exit] of [
      ['build', 2],
      ['verify', 1],
      ['install', 2],
    ] as const) {
      const { code, err } = await desk.run('pack', verb, 'support');
      expect([code, err], verb).toEqual([
        exit,
        expect.stringContaining(`error validation_error: Agent ${AGENT}: ${place}`),
      ]);
    }
    expect(existsSync(join(desk.cwd, ARCHIVE))).toBe(false);
    expect((await desk.run('run', PACK)).err).toContain(`No pack ${PACK} is installed.`);
  });

  test('of which everything is wrong is told everything, each at its place', async () => {
    desk.write(`support/${PROFILE}`, `${profile(90)}  - { name: exact_match, threshold: 80 }\n`);
    const { code, err } = await desk.run('pack', 'build', 'support');
    expect(code).toBe(2);
    expect(err).toContain(`\n  ${PROFILE}:3:26 /grading_rubric/0/threshold `);
    expect(err).toContain(`\n  ${PROFILE}:5:`);
  });

  test('that is not trusted is not looked into', async () => {
    desk.configure({ trust: { policy: 'verified' } });
    desk.write(`support/${PROFILE}`, profile(90));
    expect((await desk.run('pack', 'verify', 'support')).err).toContain('error pack_signature_invalid');
  });

  test('names what to do, in words that a pack has', async () => {
    const hintOf = async (text: string): Promise<string> => {
      desk.write(`support/${PROFILE}`, text);
      return (await desk.run('pack', 'build', 'support')).err;
    };
    expect(await hintOf('grading_rubric: [{ name: non_empty }]')).toContain('Name a file of the pack');
    expect(await hintOf('golden_dataset_uri: evaluation/none.jsonl')).toContain('begins at the root');
    const unpinned = await hintOf('golden_dataset_uri: https://data.example/rows.jsonl');
    expect(unpinned).toContain('#sha256=');
    expect(unpinned).not.toContain('--allow-unpinned');
  });
});

describe('pack sign', () => {
  beforeEach(async () => {
    await desk.run('pack', 'build', 'support');
    const { privateKey, publicKey } = keyPair();
    desk.write('key.pem', privateKey);
    desk.write('pub.pem', publicKey);
  });

  test('signs in place, and whoever trusts the key sees it, also after a change', async () => {
    desk.configure({ trust: { policy: 'verified', keys: [{ keyId: 'acme', file: 'pub.pem' }] } });
    const unsigned = await desk.run('pack', 'verify', ARCHIVE);
    expect(unsigned.code).toBe(1);
    expect(unsigned.err).toContain('error pack_signature_invalid');
    expect(unsigned.err).toContain('touchstone pack sign');
    expect((await desk.run('pack', 'sign', ARCHIVE, '--key', 'key.pem', '--key-id', 'acme')).code).toBe(0);
    const signed = await desk.run('pack', 'verify', ARCHIVE);
    expect(signed.code).toBe(0);
    expect(signed.out).toContain('is verified');
    expect(signed.out).toContain('6, each of them signed');
    const built = ['pack', 'build', 'support', '--key', 'key.pem', '--key-id', 'acme', '--out', 'b.tgz'];
    expect((await desk.run(...built)).code).toBe(0);
    expect(bytes('b.tgz').equals(bytes(ARCHIVE))).toBe(true);
  });

  test('again says when the archive is not what was signed before', async () => {
    const sign = ['pack', 'sign', ARCHIVE, '--key', 'key.pem', '--key-id', 'acme'];
    expect((await desk.run(...sign)).out).not.toContain('!');
    // A header of the archive has a sum of its own, and content of the same length leaves it as it is.
    const tar = gunzipSync(bytes(ARCHIVE)).toString('latin1').replace('Answer kindly', 'Answer rudely');
    desk.write(ARCHIVE, gzipSync(Buffer.from(tar, 'latin1')));
    const { code, out } = await desk.run(...sign);
    expect(code).toBe(0);
    expect(out).toMatch(/! It was not what had been signed before: .*"prompts\/support\.md"/);
  });

  test('to another file leaves the archive as it was', async () => {
    const before = bytes(ARCHIVE);
    const command = ['pack', 'sign', ARCHIVE, '--key', 'key.pem', '--key-id', 'acme', '--out', 's.tgz'];
    expect(JSON.parse((await desk.run(...command, '--json')).out)).toMatchObject({ signedBy: 'acme' });
    expect(bytes(ARCHIVE).equals(before)).toBe(true);
    desk.write('s.tgz', 'mine');
    expect((await desk.run(...command)).code).toBe(2);
    expect(bytes('s.tgz').toString()).toBe('mine');
  });

  test('takes no other kind of key, and does not repeat what it was given', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const pems = [
      rsa.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'top-secret',
      bytes('pub.pem').toString(),
    ];
    for (const pem of pems) {
      desk.write('wrong.pem', pem);
      const { code, out, err } = await desk.run(
        'pack',
        'sign',
        ARCHIVE,
        '--key',
        'wrong.pem',
        '--key-id',
        'x',
      );
      expect(code).toBe(2);
      expect(err).toContain('openssl genpkey -algorithm ed25519 -out key.pem');
      for (const line of pem.trim().split('\n'))
        if (!line.startsWith('-')) expect(out + err).not.toContain(line);
    }
    expect((await desk.run('pack', 'build', 'support', '--key', 'key.pem')).err).toContain('--key-id');
    expect((await desk.run('pack', 'build', 'support', '--key-id', 'x')).err).toContain('--key');
  });
});

describe('pack verify', () => {
  test('tells no signature, an unknown key and a refusal apart', async () => {
    await desk.run('pack', 'build', 'support');
    const folder = JSON.parse((await desk.run('pack', 'verify', 'support', '--json')).out);
    expect(folder).toMatchObject({
      admitted: true,
      verified: false,
      signature: 'none',
      policy: 'open',
      filesSigned: false,
    });
    desk.write('key.pem', keyPair().privateKey);
    await desk.run('pack', 'sign', ARCHIVE, '--key', 'key.pem', '--key-id', 'acme');
    const unknown = await desk.run('pack', 'verify', ARCHIVE);
    expect(unknown.code).toBe(0);
    expect(unknown.out).toContain('by acme, which is not in trust.keys: not checked');
    expect(unknown.out).not.toContain('is verified');
    desk.configure({ trust: { keys: [{ keyId: 'acme', publicKey: keyPair().publicKey }] } });
    const forged = await desk.run('pack', 'verify', ARCHIVE, '--json');
    expect(forged.code).toBe(1);
    expect(JSON.parse(forged.out)).toMatchObject({
      admitted: false,
      verified: false,
      error: { code: 'pack_signature_invalid' },
    });
    desk.configure({ trust: { policy: 'allowlist', packs: ['vendor.other.*'] } });
    expect((await desk.run('pack', 'verify', ARCHIVE)).err).toContain('"trust.packs"');
  });

  test('calls a pack verified only when a trusted key has signed all of it', async () => {
    const { privateKey, publicKey } = keyPair();
    desk.write('key.pem', privateKey);
    desk.configure({ trust: { policy: 'verified', keys: [{ keyId: 'acme', publicKey }] } });
    await desk.run('pack', 'build', 'support', '--key', 'key.pem', '--key-id', 'acme');
    const whole = JSON.parse((await desk.run('pack', 'verify', ARCHIVE, '--json')).out);
    expect(whole).toMatchObject({ admitted: true, verified: true, filesSigned: true });
    const options = { hasCapability: () => true, openSchemaCheck: () => () => [] };
    for (const [path, content] of (await openPack(bytes(ARCHIVE), options)).files)
      if (!path.startsWith('keys/files.json')) desk.write(`partly/${path}`, content);
    const partly = await desk.run('pack', 'verify', 'partly');
    expect(partly.out).toContain(`${PACK}@1.0.0 is allowed here, and only its manifest is signed`);
    expect(partly.out).not.toContain('is verified');
    const document = JSON.parse((await desk.run('pack', 'verify', 'partly', '--json')).out);
    expect(document).toMatchObject({ admitted: true, verified: false, signature: 'trusted' });
  });

  test('refuses a folder for what no archive of it could hold', async () => {
    symlinkSync('pack.json', join(desk.cwd, 'support/again.json'));
    const linked = await desk.run('pack', 'verify', 'support');
    expect([linked.code, linked.out]).toEqual([1, expect.stringContaining('support is refused')]);
    expect(linked.err).toContain('error tarball_path_traversal');
    rmSync(join(desk.cwd, 'support/again.json'));
    desk.write('support/key.pem', keyPair().privateKey);
    const leaking = await desk.run('pack', 'verify', 'support', '--json');
    expect([leaking.code, JSON.parse(leaking.out)]).toMatchObject([
      1,
      { admitted: false, error: { message: expect.stringContaining('private key') } },
    ]);
  });

  test('has three answers: 0, 1 and 2', async () => {
    desk.write('broken.tgz', 'no gzip');
    expect((await desk.run('pack', 'verify', 'support')).code).toBe(0);
    expect((await desk.run('pack', 'verify', 'broken.tgz')).code).toBe(1);
    expect((await desk.run('pack', 'verify', 'gone.tgz')).code).toBe(2);
    desk.configure({ trust: { policy: 'blind' } });
    expect((await desk.run('pack', 'verify', 'support')).code).toBe(2);
  });
});

describe('pack install', () => {
  test('keeps a version as it is: the same again is fine, another one is refused with what to do', async () => {
    const first = JSON.parse((await desk.run('pack', 'install', 'support', '--json')).out);
    expect(first).toMatchObject({
      outcome: 'created',
      agents: [`${AGENT}@1.0.0`],
      suites: [`${SUITE}@1.0.0`],
    });
    await desk.run('pack', 'build', 'support');
    const again = await desk.run('pack', 'install', ARCHIVE);
    expect(again.out).toContain('was installed before');
    desk.write('support/prompts/support.md', 'Answer briefly.\n');
    const other = await desk.run('pack', 'install', 'support');
    expect(other.code).toBe(2);
    expect(other.err).toContain('Raise "version" in pack.json');
    const document = JSON.parse((await desk.run('pack', 'install', 'support', '--json')).out);
    expect(document).toMatchObject({ exitCode: 2, error: { code: 'conflict' } });
  });

  test('lets no private key out of the folder, neither into the store nor to another host', async () => {
    desk.write('support/keys/signing.pem', keyPair().privateKey);
    const person = openPackCli({ cwd: desk.cwd, env: { TOUCHSTONE_KEY: 'x' } });
    desk.write('support/keys/signing.pem', keyPair().privateKey);
    for (const command of [
      ['pack', 'install', 'support'],
      ['pack', 'install', 'support', '--host', 'http://127.0.0.1:1'],
      ['run', 'support', '--host', 'http://127.0.0.1:1'],
    ]) {
      const { code, err } = await person.run(...command);
      expect([code, err]).toEqual([2, expect.stringContaining('published with it: keys/signing.pem')]);
    }
  });

  test('believes only whom the configuration trusts', async () => {
    desk.configure({ trust: { policy: 'verified' } });
    const { code, err } = await desk.run('pack', 'install', 'support');
    expect([code, err]).toEqual([2, expect.stringContaining('pack_signature_invalid')]);
    desk.configure();
    expect((await desk.run('run', PACK)).err).toContain(`No pack ${PACK} is installed.`);
  });
});
