import { execFileSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBundle } from '../../../app/index.js';
import { keyIdOf, sealBundle } from '../../../evidence/index.js';
import { PACK_LIMITS, readTar } from '../../../packs/index.js';
import { AGENT, type DeployCli, openDeployCli, PROVEN, SUITE } from '../../testing/deployment-cli.js';
import { keyPair } from '../../testing/pack-cli.js';

// Goal: nobody can change anything in a bundle unnoticed, and whoever has only OpenSSL can check it. Method: a promotion that
// really happened, exported; then every file, every member of every document and every line is changed, one at a time.

const alice = keyPair();
const exporter = keyPair();
let desk: DeployCli;
let files: ReadonlyMap<string, Buffer>;
let runId: string;

beforeAll(async () => {
  desk = openDeployCli();
  desk.write('alice.pem', alice.privateKey);
  desk.write('alice.pub', alice.publicKey);
  desk.write('exporter.pem', exporter.privateKey);
  desk.write('exporter.pub', exporter.publicKey);
  const trust = { keys: [{ keyId: 'alice', file: 'alice.pub' }] };
  desk.configure({ trust, gates: [{ ...PROVEN, requiredEval: { suite: SUITE, signedSuite: true } }] });
  const signed = ['suite', 'sign', 'evals/refunds.suite.json', '--key', 'alice.pem', '--key-id', 'alice'];
  expect((await desk.run(...signed, '--out', 'dist')).code).toBe(0);
  desk.configure({
    trust,
    suites: [],
    gates: [{ ...PROVEN, requiredEval: { suite: SUITE, signedSuite: true } }],
  });
  expect((await desk.run('suite', 'install', `dist/${SUITE}-1.0.0.suite.json`)).code).toBe(0);
  runId = await desk.runSuite('1.0.0');
  const moved = await desk.run('promote', `${AGENT}@1.0.0`, '--channel', 'stable', '--eval-run', runId);
  expect([moved.code, moved.err]).toEqual([0, '']);
  const made = await desk.run('export', runId, '--bundle', 'out.tar', '--bodies', ...KEY);
  expect([made.code, made.err]).toEqual([0, '']);
  files = readTar(readFileSync(join(desk.cwd, 'out.tar')), PACK_LIMITS);
  // A machine of this host: what it knows of the host is a public key.
  const own = readFileSync(join(desk.cwd, '.touchstone/signing-key.pem'));
  desk.write('host.pub', execFileSync('openssl', ['pkey', '-pubout'], { input: own }).toString());
});
afterAll(() => desk.close());

const KEY = ['--key', 'exporter.pem', '--key-id', 'exporter'];
const KEYS = ['--key', 'exporter.pub', '--key', 'host.pub', '--key', 'alice.pub'];
/** Without the machine's own key and configuration: a third party. */
const verify = async (place: string, ...keys: readonly string[]) => {
  const answer = await desk.run(
    'verify',
    'bundle',
    place,
    '--json',
    '--data',
    'elsewhere',
    '--config',
    'none.json',
    ...keys,
  );
  return { ...answer, document: JSON.parse(answer.out) };
};
/** What the command decides by, without the command. */
function verdictOn(changed: ReadonlyMap<string, Buffer>) {
  const host = readFileSync(join(desk.cwd, 'host.pub'), 'utf8');
  const hostKey = createPublicKey(host);
  const keys = [
    { keyId: 'exporter', publicKey: createPublicKey(exporter.publicKey) },
    { keyId: keyIdOf(hostKey), publicKey: hostKey },
    { keyId: 'alice', publicKey: createPublicKey(alice.publicKey) },
  ];
  const { doubts } = checkBundle(changed, keys);
  return { code: doubts.length > 0 ? 1 : 0, document: { reasons: doubts } };
}
const withFile = (name: string, bytes: Buffer | string): ReadonlyMap<string, Buffer> =>
  new Map([...files, [name, Buffer.from(bytes)]]);

describe('a bundle', () => {
  it('holds every part, is verified by its keys, and by no fewer', async () => {
    desk.write('none.json', '{}');
    expect([...files.keys()].sort()).toEqual([
      'SHA256SUMS',
      'audit.jsonl',
      'checkpoint.dsse.json',
      'judge.json',
      'log.json',
      'log.jsonl',
      'manifest.dsse.json',
      'manifest.json',
      'promotions.json',
      'scorecard.dsse.json',
      'suite.json',
      'suite.json.dsse',
    ]);
    const { code, document } = await verify('out.tar', ...KEYS);
    expect([code, document.reasons]).toEqual([0, []]);
    expect(document).toMatchObject({ verified: true, runId, signedBy: 'exporter', passed: true });
    expect(document.notes.join()).toContain('The suite is signed by alice');
    expect(document.notes.join()).toContain('signed by');
    const without = await verify('out.tar', '--key', 'exporter.pub');
    expect(without.document.reasons).toEqual([
      { code: 'untrusted', message: expect.stringContaining('checkpoint') },
    ]);
    expect((await verify('out.tar')).code).toBe(1);
    const shown = await desk.run('verify', 'bundle', 'out.tar', ...KEYS);
    expect(shown.out).toContain(' VERIFIED ');
    expect((await desk.run('verify', ...KEYS, 'bundle', 'out.tar')).code).toBe(0);
    // Nothing listens there, and nothing is asked.
    const beside = ['--host', 'http://127.0.0.1:9'];
    expect((await desk.run('verify', 'bundle', 'out.tar', ...KEYS, ...beside)).code).toBe(0);
  });

  it('without bodies holds no answer, and the suite only when it is wanted', async () => {
    expect((await desk.run('export', runId, '--bundle', 'lean', '--no-suite', ...KEY)).code).toBe(0);
    const plain = await verify('lean', ...KEYS);
    expect([plain.code, plain.document.reasons]).toEqual([0, []]);
    expect(desk.has('lean/log.jsonl') || desk.has('lean/suite.json')).toBe(false);
    expect((await desk.run('export', runId, '--bundle', 'lean', ...KEY)).code).toBe(0);
    expect(desk.has('lean/suite.json')).toBe(true);
  });

  it('replaces an earlier bundle and nothing else, and is told from other files', async () => {
    desk.write('mine.tar', 'mine');
    const refused = await desk.run('export', runId, '--bundle', 'mine.tar', ...KEY);
    expect([refused.code, desk.read('mine.tar')]).toEqual([2, 'mine']);
    expect((await desk.run('verify', 'bundle', 'mine.tar')).code).toBe(2);
    expect((await desk.run('verify', 'bundle', 'evals')).code).toBe(2);
    expect((await desk.run('verify', 'bundle', 'nothing.tar')).code).toBe(2);
    expect((await desk.run('export', runId, '--bundle', 'x.tar', '--out', 'y.json')).code).toBe(2);
    expect((await desk.run('export', runId, '--no-suite')).code).toBe(2);
  });

  it('of a run that nothing rests on has no promotion in it', async () => {
    const other = await desk.runSuite('1.1.0');
    expect((await desk.run('export', other, '--bundle', 'other.tar', ...KEY)).code).toBe(0);
    const { code, document } = await verify('other.tar', ...KEYS);
    expect([code, document.parts]).toEqual([0, ['scorecard', 'suite', 'judge', 'log']]);
  });
});

describe('one change', () => {
  it('of any byte of any file is found', async () => {
    for (const [name, bytes] of files) {
      const step = Math.max(1, Math.floor(bytes.length / 10));
      for (let at = 0; at < bytes.length; at += step) {
        const copy = Buffer.from(bytes);
        copy[at] = (copy[at] as number) ^ 1;
        const { code, document } = verdictOn(withFile(name, copy));
        const isSpace = name === 'manifest.dsse.json' && /\s/.test(String.fromCharCode(bytes[at] as number));
        if (!isSpace) expect([name, at, code, document.reasons.length > 0]).toEqual([name, at, 1, true]);
      }
    }
  }, 60_000);

  it('of any member of any document is found and named by its file, although the manifest is signed anew', async () => {
    // The strongest forger: somebody who holds the exporter's key, and cannot speak for the host or the author of the suite.
    const own = [...files].filter(([name]) => !/^(manifest|SHA256SUMS)/.test(name));
    const facts = JSON.parse(String(files.get('manifest.json'))).predicate;
    const resealed = (name: string, bytes: Buffer | string) =>
      sealBundle(new Map([...own, [name, Buffer.from(bytes)] as const]), facts, {
        keyId: 'exporter',
        privateKey: exporter.privateKey,
      });
    expect(verdictOn(resealed('judge.json', files.get('judge.json') as Buffer)).code).toBe(0);
    let changes = 0;
    for (const [name, bytes] of own) {
      for (const text of variantsOf(name, bytes.toString('utf8'))) {
        changes += 1;
        const { code, document } = verdictOn(resealed(name, text));
        expect([name, text.slice(0, 60), code]).toEqual([name, text.slice(0, 60), 1]);
        expect(document.reasons[0]?.message).toMatch(/\.jsonl?|\.dsse|scorecard|checkpoint|summary/);
      }
    }
    expect(changes).toBeGreaterThan(40);
  }, 60_000);

  it('of the files themselves is found: taken away, added, swapped', async () => {
    for (const name of files.keys()) {
      const less = new Map([...files].filter(([other]) => other !== name));
      const { code, document } = verdictOn(less);
      expect([name, code]).toEqual([name, 1]);
      expect(document.reasons.map(({ message }) => message).join()).toContain(name);
    }
    const more = verdictOn(withFile('extra.json', '{}'));
    expect(more.document.reasons[0]?.message).toContain('extra.json is not in the manifest');
    const swapped = verdictOn(withFile('judge.json', files.get('log.json') as Buffer));
    expect(swapped.document.reasons[0]?.message).toContain('judge.json');
  });
});

/** Each member of a document changed on its own, each line of a list changed or left out. */
function variantsOf(name: string, text: string): readonly string[] {
  if (name.endsWith('.jsonl')) {
    const lines = text.replace(/\n$/, '').split('\n');
    const end = text.endsWith('\n') ? '\n' : '';
    return lines.flatMap((line, at) => [
      [...lines.slice(0, at), line.replace(/"([a-z])/, '"x$1'), ...lines.slice(at + 1)].join('\n') + end,
      ...(lines.length > 1 ? [[...lines.slice(0, at), ...lines.slice(at + 1)].join('\n') + end] : []),
    ]);
  }
  const value = JSON.parse(text);
  const payload =
    typeof value.payload === 'string'
      ? JSON.parse(Buffer.from(value.payload, 'base64').toString())
      : undefined;
  const own = Object.keys(value).flatMap((member) => changesOf(value, member));
  const inner = payload
    ? leavesOf(payload).map((path) => ({
        ...value,
        payload: Buffer.from(JSON.stringify(changedAt(payload, path))).toString('base64'),
      }))
    : [];
  return [...own, ...inner].map((one) => JSON.stringify(one));
}

const other = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return `${value}x`;
  if (Array.isArray(value)) return [];
  return { ...(value as object), extra: 1 };
};
const changesOf = (value: Record<string, unknown>, member: string): readonly object[] => {
  const { [member]: was, ...rest } = value;
  return [{ ...value, [member]: other(was) }, rest];
};

type Path = readonly (string | number)[];
function leavesOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.keys(value).flatMap((key) => leavesOf((value as never)[key], [...path, key]));
}
function changedAt(value: unknown, [first, ...rest]: Path): unknown {
  if (first === undefined) return other(value);
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[first] = changedAt(copy[first], rest);
  return copy;
}

describe('with OpenSSL and a shell alone', () => {
  const page = readFileSync(new URL('../../../../../../docs/evidence-bundle.md', import.meta.url), 'utf8');
  const script = [...page.matchAll(/^```sh openssl\n([\s\S]*?)^```$/gm)].map(([, text]) => text).join('\n');
  const check = (folder: string): { readonly ok: boolean; readonly out: string } => {
    try {
      const out = execFileSync('sh', ['-euc', script], {
        cwd: join(desk.cwd, folder),
        env: {
          PATH: process.env.PATH,
          EXPORTER: '../exporter.pub',
          HOST_KEY: '../host.pub',
          AUTHOR: '../alice.pub',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      return { ok: true, out: out.toString() };
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout: Buffer; readonly stderr: Buffer };
      return { ok: false, out: `${stdout}${stderr}` };
    }
  };

  it('the commands of the page verify the bundle, and fail on a changed one', async () => {
    expect((await desk.run('export', runId, '--bundle', 'opened', '--bodies', ...KEY)).code).toBe(0);
    const good = check('opened');
    expect([good.ok, good.out]).toEqual([true, expect.stringContaining('everything fits')]);
    for (const name of [
      'manifest.json',
      'judge.json',
      'suite.json',
      'audit.jsonl',
      'scorecard.dsse.json',
      'checkpoint.dsse.json',
      'SHA256SUMS',
    ]) {
      const before = desk.read(`opened/${name}`);
      const changed = before.replace(/[{:a-f]/, (letter) => (letter === 'a' ? 'b' : 'a'));
      desk.write(`opened/${name}`, changed);
      expect([name, check('opened').ok]).toEqual([name, false]);
      desk.write(`opened/${name}`, before);
    }
    expect(check('opened').ok).toBe(true);
  });
});

describe('audit checkpoints', () => {
  it('are kept, and a log that goes through them is whole', async () => {
    const made = await desk.run('audit', 'checkpoint', '--out', 'kept', '--json');
    const [{ seq, file, keyId }] = JSON.parse(made.out).checkpoints;
    expect([made.code, desk.has(file)]).toEqual([0, true]);
    const whole = await desk.run('audit', 'verify', '--checkpoint', file, '--json');
    expect(whole.code).toBe(0);
    const { chains, expected } = JSON.parse(whole.out);
    expect(chains[0].checkpoints).toContainEqual(expect.objectContaining({ seq, keyId, holds: true }));
    expect(expected).toEqual([expect.objectContaining({ records: seq, found: true })]);
    const elsewhere = await desk.run(
      'audit',
      'verify',
      '--checkpoint',
      file,
      '--data',
      '.touchstone',
      '--config',
      'none.json',
    );
    expect(elsewhere.code).toBe(0);
    expect((await desk.run('audit', 'verify', '--checkpoint', 'nothing')).code).toBe(2);
    desk.write('other.json', '{}');
    const other = await desk.run('audit', 'verify', '--checkpoint', 'other.json');
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('other.json')]);
  });

  it('show a log that was cut or written anew, by the row and by the file', async () => {
    const { DatabaseSync } = await import('@photostructure/sqlite');
    const [{ file }] = JSON.parse(
      (await desk.run('audit', 'checkpoint', '--out', 'kept', '--json')).out,
    ).checkpoints;
    const db = new DatabaseSync(join(desk.cwd, '.touchstone/touchstone.db'));
    const triggers = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'")
      .all();
    for (const { name } of triggers as { name: string }[]) db.exec(`DROP TRIGGER ${name}`);
    db.exec('DELETE FROM audit WHERE seq = (SELECT MAX(seq) FROM audit)');
    db.close();
    const cut = await desk.run('audit', 'verify', '--json');
    expect(cut.code).toBe(1);
    expect(JSON.parse(cut.out).chains[0].checkpoints.at(-1)).toMatchObject({ holds: false });
    const byFile = await desk.run('audit', 'verify', '--checkpoint', file, '--json');
    expect(JSON.parse(byFile.out).expected).toEqual([expect.objectContaining({ found: false })]);
    expect((await desk.run('audit', 'verify')).out).toContain('checkpoint');
  });
});
