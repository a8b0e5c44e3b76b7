import { createPublicKey } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { RunId } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EvidenceCli, envelopeOf, openEvidenceCli, steady } from '../../testing/evidence-cli.js';
import { keyPair } from '../../testing/pack-cli.js';
import { openTestCli } from '../../testing/test-cli.js';

let desk: EvidenceCli;
let runId: RunId;
beforeEach(async () => {
  desk = openEvidenceCli();
  runId = await desk.runSuite();
});
afterEach(() => desk.close());

const OWN_KEY = '.touchstone/signing-key.pem';
const verified = async (...argv: string[]) => JSON.parse((await desk.run('verify', ...argv, '--json')).out);

describe('export', () => {
  test('writes a file, says who signed it and how others check it', async () => {
    const { code, out } = await desk.run('export', 'last', '--public-key', 'pub.pem');
    expect(code).toBe(0);
    expect(steady(out)).toMatchInlineSnapshot(`
      "  Exported a scorecard
        file        local.test.evals.say-run-….scorecard.json
        run         run-…
        agent       local.cli.agent@0.0.0
        suite       local.test.evals.say@1.0.0
        result      FAIL · score 0.67 · 2 of 3 tasks passed
        signed by   <key id>, the key of this machine
        public key  pub.pem

        Others check it with the public key:
        touchstone verify local.test.evals.say-run-….scorecard.json --key pub.pem
        or once and for all, in their configuration:
        "trust": { "keys": [{"keyId":"<key id>","file":"pub.pem"}] }
      "
    `);
    expect(existsSync(join(desk.cwd, `local.test.evals.say-${runId}.scorecard.json`))).toBe(true);
    expect(createPublicKey(desk.read('pub.pem')).asymmetricKeyType).toBe('ed25519');
  });

  test('of the same run with the same key gives the same bytes again', async () => {
    const first = desk.read(await desk.exported());
    await desk.run('export', runId, '--out', 'deep/again.json');
    expect(desk.read('deep/again.json')).toBe(first);
    const { out, err } = await desk.run('export', 'last', '--out', '-');
    expect(out).toBe(first);
    expect(err).toContain('Exported a scorecard');
  });

  test('holds no content', async () => {
    const { payload } = envelopeOf(desk.read(await desk.exported()));
    const text = Buffer.from(payload, 'base64').toString();
    expect(text).toContain('"taskId":"late"');
    expect(text).not.toMatch(/ANSWER|"say"|agent\.mjs/);
  });

  test('keeps the key of the machine to its owner, and shows it nowhere', async () => {
    const shown = [
      await desk.run('export', 'last'),
      await desk.run('export', 'last', '--json'),
      await desk.run('export', 'last', '--out', '-'),
      await desk.run('verify', await desk.exported()),
      await desk.run('verify', OWN_KEY),
      await desk.run('verify', await desk.exported(), '--key', OWN_KEY),
    ].map(({ out, err }) => out + err);
    expect(statSync(join(desk.cwd, OWN_KEY)).mode & 0o777).toBe(0o600);
    const secret = desk.read(OWN_KEY).split('\n')[1] as string;
    expect(secret.length).toBeGreaterThan(40);
    for (const text of [...shown, desk.read(await desk.exported())]) expect(text).not.toContain(secret);
  });

  test('signs with another key under the name that is given for it', async () => {
    const { privateKey, publicKey } = keyPair();
    desk.write('key.pem', privateKey);
    const { out } = await desk.run(
      ...['export', 'last', '--key', 'key.pem', '--key-id', 'acme-2026', '--json'],
      ...['--public-key', 'pub.pem', '--out', 'x.json'],
    );
    expect(JSON.parse(out)).toMatchObject({
      runId,
      file: 'x.json',
      keyId: 'acme-2026',
      publicKey,
      passed: false,
    });
    expect(desk.read('pub.pem')).toBe(publicKey);
    expect(existsSync(join(desk.cwd, OWN_KEY))).toBe(false);
    expect((await desk.run('verify', 'x.json')).code).toBe(1);
    expect(await verified('x.json', '--key', 'pub.pem')).toMatchObject({
      verified: true,
      signature: { state: 'trusted', keyId: 'acme-2026', from: '--key pub.pem' },
    });
    desk.write(
      'touchstone.config.json',
      JSON.stringify({ trust: { keys: [{ keyId: 'acme-2026', file: 'pub.pem' }] } }),
    );
    expect(await verified('x.json')).toMatchObject({ signature: { from: 'trust.keys' } });
  });

  test('the entry it prints for a configuration makes that configuration trust the file', async () => {
    const { out } = await desk.run('export', 'last', '--out', 'x.json');
    const entry = out.split('\n').find((line) => line.includes('"trust"'));
    const other = openTestCli({ cwd: join(desk.cwd, 'other') });
    mkdirSync(other.cwd);
    desk.write('other/touchstone.config.json', `{${entry}}`);
    expect((await other.run('verify', '../x.json')).code).toBe(0);
    expect(readdirSync(other.cwd)).toEqual(['touchstone.config.json']);
  });

  test.each([
    [['run-nope'], 'There is no run run-nope here.'],
    [['last', '--key', 'nope.pem', '--key-id', 'a'], 'There is no key file nope.pem.'],
    [['last', '--key', 'agent.mjs'], '--key needs --key-id'],
    [['last', '--out', '-', '--json'], 'would both write to stdout'],
    [['last', '--out', 'a.json', '--public-key', './a.json'], 'are the same file'],
    [
      ['last', '--key', 'agent.mjs', '--key-id', 'a', '--public-key', 'agent.mjs'],
      '--key and --public-key are',
    ],
    [['last', '--public-key', OWN_KEY], 'The key of this machine and --public-key are the same file'],
    [['last', '--out', '.'], '. is not a regular file.\nUse --out - for stdout.'],
    [['last', '--out', '/dev/null'], '/dev/null is not a regular file.\nUse --out - for stdout.'],
    [['last', '--public-key', '/dev/null'], '/dev/null is not a regular file.'],
    [
      ['last', '--out', 'agent.mjs'],
      'agent.mjs exists and is no scorecard file.\nName another, or remove it.',
    ],
    [['last', '--out', 'say.suite.json'], 'say.suite.json exists and is no scorecard file.'],
    [['last', '--public-key', 'say.suite.json'], 'say.suite.json exists and is no public key.'],
    [['last', '--out', '.touchstone/touchstone.db'], 'The store and --out are the same file'],
    [['last', '--out', '.touchstone/touchstone.db-wal'], 'The store and --out are the same file'],
    [['last', '--out', 'agent.mjs/x.json'], 'cannot be written: '],
  ])('%j is refused and writes nothing', async (argv, words) => {
    const before = readdirSync(desk.cwd);
    const { code, err } = await desk.run('export', ...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(readdirSync(desk.cwd)).toEqual(before);
  });

  test('replaces what an earlier one has written, where a link leads', async () => {
    const other = await desk.runSuite();
    await desk.run('export', runId, '--out', 'card.json', '--public-key', 'pub.pem');
    symlinkSync('card.json', join(desk.cwd, 'link.json'));
    symlinkSync('new.json', join(desk.cwd, 'ahead.json'));
    for (const name of ['link.json', 'ahead.json'])
      expect((await desk.run('export', 'last', '--out', name, '--public-key', 'pub.pem')).code).toBe(0);
    expect(lstatSync(join(desk.cwd, 'link.json')).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(desk.cwd, 'new.json')).isFile()).toBe(true);
    expect((await verified('card.json')).runId).toBe(other);
    symlinkSync(OWN_KEY, join(desk.cwd, 'sly.json'));
    const before = desk.read(OWN_KEY);
    expect((await desk.run('export', 'last', '--out', 'sly.json')).err).toContain('The key of this machine');
    desk.write('private.pem', keyPair().privateKey);
    expect((await desk.run('export', 'last', '--public-key', 'private.pem')).err).toContain('no public key');
    expect(desk.read(OWN_KEY)).toBe(before);
  });

  test('only of completed evaluations', async () => {
    desk.write('agent.mjs', 'export default () => new Promise((done) => setTimeout(done, 60_000));');
    await desk.run('run', 'say.suite.json', '--agent', 'agent.mjs', '--timeout', '1');
    const { code, err } = await desk.run('export', 'last');
    expect(code).toBe(2);
    expect(err).toContain('is failed; only a completed run has a scorecard to export.');
    expect(err).toContain('touchstone show run-');
  });
});
