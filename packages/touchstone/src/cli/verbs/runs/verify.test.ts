import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { asId, type RunId, type Scorecard } from '@touchstone/protocol';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type EvidenceCli,
  envelopeOf,
  openEvidenceCli,
  signedAgain,
  steady,
  withStatement,
} from '../../testing/evidence-cli.js';
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

describe('verify', () => {
  test('believes what this machine has signed, and compares it with the run', async () => {
    const file = await desk.exported();
    const { code, out } = await desk.run('verify', file);
    expect(code).toBe(0);
    expect(steady(out)).toMatchInlineSnapshot(`
      "
         VERIFIED   local.test.evals.say-run-….scorecard.json

        agent       local.cli.agent@0.0.0
        suite       local.test.evals.say@1.0.0
        result      FAIL · score 0.67 · 2 of 3 tasks passed
        run         run-…
        ended       <time> UTC, on touchstone <version>
        signature   by <key id>, trusted by this machine
        summary     follows from the results
        log         matches: the run is kept here, and gives this scorecard
      "
    `);
    expect(await verified(file)).toMatchObject({
      file,
      verified: true,
      exitCode: 0,
      reasons: [],
      runId,
      passed: false,
      tasks: { total: 3, selected: 3, passed: 2 },
      log: { state: 'matches' },
    });
  });

  test('elsewhere believes nobody until it is told whom', async () => {
    await desk.exported('--public-key', 'pub.pem', '--out', 'x.scorecard.json');
    const other = openTestCli({ cwd: join(desk.cwd, 'other') });
    mkdirSync(other.cwd);
    const { code, out } = await other.run('verify', '../x.scorecard.json');
    expect(code).toBe(1);
    expect(steady(out)).toMatchInlineSnapshot(`
      "
         NOT VERIFIED   ../x.scorecard.json

        ✗ It is signed by key <key id>, which is not trusted here. Get the
          public key from its author, and check that it is theirs.

        touchstone verify ../x.scorecard.json --key pub.pem

        What the file claims:
        agent       local.cli.agent@0.0.0
        suite       local.test.evals.say@1.0.0
        result      FAIL · score 0.67 · 2 of 3 tasks passed
        run         run-…
        ended       <time> UTC, on touchstone <version>
        signature   by <key id>, which is not trusted here
        summary     follows from the results
        log         not here, so it was not compared
      "
    `);
    const told = await other.run('verify', '../x.scorecard.json', '--key', '../pub.pem');
    expect(told.code).toBe(0);
    expect(told.out).toContain('not here, so it was not compared');
    expect(readdirSync(other.cwd)).toEqual([]);
  });

  // Each row changes one thing. `again` is whether somebody with the trusted key has signed the change.
  const stranger = keyPair();
  const half = (card: { results: readonly object[] }): void => {
    card.results = card.results.map((result, at) =>
      at === 1 ? { ...result, score: 0.5, passed: false } : result,
    );
  };
  const own = (text: string): readonly [string, string] => [
    desk.read(OWN_KEY),
    envelopeOf(text).signatures[0]?.keyid as string,
  ];
  const TAMPERED: readonly [string, (text: string) => string, string, RegExp][] = [
    [
      'payload',
      (text) => withStatement(text, (it) => half(it.predicate.scorecard as never)),
      'tampered',
      /does not fit/,
    ],
    [
      'signature',
      (text) => {
        const { signatures, ...rest } = envelopeOf(text);
        const bytes = Buffer.from(signatures[0]?.sig ?? '', 'base64');
        bytes[7] = (bytes[7] ?? 0) ^ 1;
        return JSON.stringify({ ...rest, signatures: [{ ...signatures[0], sig: bytes.toString('base64') }] });
      },
      'tampered',
      /does not fit/,
    ],
    [
      'no signature',
      (text) => JSON.stringify({ ...envelopeOf(text), signatures: [] }),
      'unsigned',
      /Nobody has signed/,
    ],
    [
      'key',
      (text) => signedAgain(text, stranger.privateKey, 'who'),
      'untrusted',
      /key who, which is not trusted/,
    ],
    [
      'key under our name',
      (text) => signedAgain(text, stranger.privateKey, own(text)[1]),
      'tampered',
      /does not fit/,
    ],
    [
      'results, signed again',
      (text) =>
        signedAgain(
          withStatement(text, (it) => half(it.predicate.scorecard as never)),
          ...own(text),
        ),
      'malformed',
      /Expected the number of results that passed/,
    ],
    [
      'summary, signed again',
      (text) => {
        const changed = withStatement(text, ({ predicate: { scorecard } }) => {
          scorecard.summary = { ...scorecard.summary, passed: true };
        });
        return signedAgain(changed, ...own(text));
      },
      'contradictory',
      /summary\.passed does not follow/,
    ],
    [
      'subject, signed again',
      (text) => {
        const changed = withStatement(text, ({ subject }) => {
          const [agent] = subject;
          if (agent) agent.digest.sha256 = '0'.repeat(64);
        });
        return signedAgain(changed, ...own(text));
      },
      'malformed',
      /name and digest of the agent/,
    ],
    [
      'log, signed again',
      (text) => {
        const changed = withStatement(text, ({ predicate: { scorecard } }) => {
          scorecard.log = { ...scorecard.log, digest: `sha256:${'0'.repeat(64)}` as never };
        });
        return signedAgain(changed, ...own(text));
      },
      'other_log',
      /its log gives another scorecard/,
    ],
    [
      'everything but the log, so that it adds up, signed again',
      (text) => {
        const changed = withStatement(text, ({ predicate: { scorecard } }) => {
          const all = { score: 1, passed: true };
          scorecard.results = scorecard.results.map((result) => ({ ...result, ...all }));
          const tasks = scorecard.summary.tasks.map((one) => ({ ...one, ...all }));
          const totals = { aggregateScore: 1, passed: true, passedCount: 3 };
          scorecard.summary = { ...scorecard.summary, ...totals, tasks };
        });
        return signedAgain(changed, ...own(text));
      },
      'other_log',
      /its log gives another scorecard\. It differs in: results, summary\./,
    ],
    ...(
      [
        ['a caveat', (card) => ({ caveats: { ...card.caveats, cacheHits: 3 } }), 'caveats'],
        ['the size of the suite', () => ({ totalTasks: 7 }), 'totalTasks'],
        ['a threshold', () => ({ thresholds: { passScore: 1 } }), 'thresholds'],
        ['the times', () => ({ startedAt: asId('2020-01-01T00:00:00.000Z') }), 'startedAt'],
        ['the modes', () => ({ modes: ['golden', 'regression'] }), 'modes'],
      ] as readonly [string, (card: Scorecard) => Partial<Scorecard>, string][]
    ).map(([what, change, member]): (typeof TAMPERED)[number] => [
      `${what}, signed again`,
      (text) =>
        signedAgain(
          withStatement(text, ({ predicate: { scorecard } }) => {
            Object.assign(scorecard, change(scorecard));
          }),
          ...own(text),
        ),
      'other_log',
      new RegExp(`its log gives another scorecard\\. It differs in: ${member}\\.`),
    ]),
  ];
  test.each(TAMPERED)('does not believe a file with a changed %s', async (_name, tamper, code, words) => {
    const text = desk.read(await desk.exported());
    desk.write('tampered.json', tamper(text));
    const document = await verified('tampered.json');
    expect(document).toMatchObject({ verified: false, exitCode: 1 });
    expect(document.reasons.map((reason: { code: string }) => reason.code)).toContain(code);
    const shown = await desk.run('verify', 'tampered.json');
    expect(shown.code).toBe(1);
    expect(shown.out.replaceAll(/\s+/g, ' ')).toMatch(words);
    expect(shown.out).toContain('NOT VERIFIED');
  });

  test('believes no file in which any character has been changed, unless it says the same', async () => {
    const text = desk.read(await desk.exported());
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length - 1),
        fc.constantFrom('A', 'b', '0', '"', ' '),
        async (at, char) => {
          const changed = text.slice(0, at) + char + text.slice(at + 1);
          desk.write('changed.json', changed);
          const { code } = await desk.run('verify', 'changed.json');
          if (code === 0) expect(JSON.parse(changed)).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a signature that a given key does not fit is wrong, not unknown', async () => {
    await desk.exported('--out', 'x.scorecard.json');
    desk.write('other/pub.pem', stranger.publicKey);
    const other = openTestCli({ cwd: join(desk.cwd, 'other') });
    const { code, out } = await other.run('verify', '../x.scorecard.json', '--key', 'pub.pem');
    expect(code).toBe(1);
    expect(out).toContain('does not fit');
  });

  test('of several signatures one by a given key is enough, under whatever name', async () => {
    const text = desk.read(await desk.exported());
    const mine = signedAgain(text, stranger.privateKey, 'mine');
    const signatures = [
      { keyid: 'who', sig: envelopeOf(text).signatures[0]?.sig },
      envelopeOf(mine).signatures[0],
    ];
    desk.write('two.json', JSON.stringify({ ...envelopeOf(text), signatures }));
    desk.write('pub.pem', stranger.publicKey);
    expect(await verified('two.json', '--key', 'pub.pem')).toMatchObject({
      verified: true,
      signature: { keyId: 'mine', from: '--key pub.pem' },
    });
  });

  test('tells what keeps a run from being evidence', async () => {
    const fork = JSON.parse((await desk.run('replay', 'last', '--json')).out) as { runId: string };
    await desk.run('export', fork.runId, '--out', 'fork.json');
    const { code, out } = await desk.run('verify', 'fork.json');
    expect(code).toBe(0);
    expect(out).toContain('It is a fork: it begins with the history of run');
    expect(out).toContain('So this run is no evidence for a gate.');
    await desk.run('run', 'say.suite.json', '--agent', 'agent.mjs', '--only', 'late');
    const part = await desk.run('export', 'last', '--out', 'part.json');
    expect(part.out).toContain('Only 1 of the 3 tasks of the suite were run.');
    expect(await verified('fork.json')).toMatchObject({ caveats: { forkOf: runId } });
  });

  test('looks at every file, whatever the others are', async () => {
    const file = await desk.exported();
    const documents = await verified(file, 'nope.json', file);
    expect(documents.map((one: { exitCode: number }) => one.exitCode)).toEqual([0, 2, 0]);
    expect((await desk.run('verify', file, 'nope.json', file)).code).toBe(2);
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
  test.each([
    [['nope.json'], 'There is no file nope.json.'],
    [['pack.tgz'], 'Check it with: touchstone pack verify pack.tgz'],
    [['pack'], 'Check it with: touchstone pack verify pack'],
    [['evals'], 'evals is not a regular file.'],
    [['agent.mjs'], 'this is no JSON'],
    [['say.suite.json'], 'found another JSON document'],
    [['say.suite.json', '--key', 'nope.pem'], 'There is no key file nope.pem.'],
    [['say.suite.json', '--key', 'agent.mjs'], 'not an Ed25519 public key'],
    [['say.suite.json', '--key', 'rsa.pem'], 'not an Ed25519 public key'],
    [['say.suite.json', '--key', 'private.pem'], 'openssl pkey -in private.pem -pubout'],
  ])('%j is no scorecard file, or no key', async (argv, words) => {
    desk.write('pack/pack.json', '{}');
    desk.write('evals/x', '');
    desk.write('rsa.pem', rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString());
    desk.write('private.pem', keyPair().privateKey);
    writeFileSync(join(desk.cwd, 'pack.tgz'), gzipSync('whatever'));
    const { code, err } = await desk.run('verify', ...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  });

  test('needs neither a store that can be read nor a key of its own', async () => {
    const file = await desk.exported('--public-key', 'pub.pem');
    desk.write('broken/touchstone.db', 'this is no database');
    desk.write('broken/signing-key.pem', 'this is no key');
    const argv = ['verify', file, '--data', 'broken'];
    const { code, out, err } = await desk.run(...argv, '--key', 'pub.pem');
    expect(code).toBe(0);
    expect(out).toContain('log         could not be checked (the store cannot be read)');
    expect(err).toMatch(
      /^warning: The key of this machine, broken\/signing-key\.pem, is not trusted: .+\.\n$/,
    );
    expect(JSON.parse((await desk.run(...argv, '--key', 'pub.pem', '--json')).out)).toMatchObject({
      verified: true,
      log: { state: 'unchecked', why: expect.stringContaining('touchstone.db') },
    });
    expect((await desk.run(...argv)).code).toBe(1);
  });

  test('needs no store at all, and no configuration that can be read', async () => {
    const file = await desk.exported('--public-key', 'pub.pem');
    const nowhere = await desk.run('verify', file, '--key', 'pub.pem', '--data', 'nowhere');
    expect(nowhere.code).toBe(0);
    expect(nowhere.out).toContain('VERIFIED');
    expect(nowhere.err).toContain('warning: Nothing is kept in nowhere');
    desk.write('broken.config.json', { agents: [{ agentId: 'x' }] });
    const argv = ['verify', file, '--config', 'broken.config.json'];
    const broken = await desk.run(...argv, '--key', 'pub.pem');
    expect(broken.code).toBe(0);
    expect(broken.err).toContain('warning: The configuration is not used');
    // Without a key at hand the configuration is what would say whom to trust.
    expect((await desk.run(...argv)).code).toBe(2);
  });

  test('reads a file from stdin, once', async () => {
    const input = desk.read(await desk.exported());
    const piped = openTestCli({ cwd: desk.cwd, input });
    const document = JSON.parse((await piped.run('verify', '-', '--json')).out);
    expect(document).toMatchObject({ file: '-', verified: true, runId });
    const twice = await piped.run('verify', '-', '-');
    expect([twice.code, twice.err]).toEqual([2, expect.stringContaining('only once')]);
    expect((await openTestCli({ cwd: desk.cwd }).run('verify', '-')).code).toBe(2);
  });

  test('needs no run to be here, and leaves nothing behind', async () => {
    const text = readFileSync(join(desk.cwd, await desk.exported('--public-key', 'pub.pem')), 'utf8');
    desk.write('empty/x.json', text);
    const empty = openTestCli({ cwd: join(desk.cwd, 'empty') });
    expect((await empty.run('verify', 'x.json', '--key', '../pub.pem')).code).toBe(0);
    expect(readdirSync(empty.cwd)).toEqual(['x.json']);
  });
});
