import { generateKeyPairSync } from 'node:crypto';
import { type Issue, isHostError } from '@touchstone/protocol';
import { expect, test } from 'vitest';
import { keyPair } from '../testing/pack-bytes.js';
import { parseTrust } from './trust.js';

const { publicKey, privateKey } = keyPair();
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();
const files: { readonly [path: string]: string } = { 'good.pem': publicKey, 'private.pem': privateKey };
const readKeyFile = (path: string): string => {
  const text = files[path];
  if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  return text;
};
const parse = (value: unknown) => parseTrust(value, 'verified', readKeyFile);

test('without a word the default policy holds, and nobody is known', () => {
  expect(parse(undefined)).toEqual({ policy: 'verified', keys: new Map(), packs: [], everySuite: false });
  expect(parse({ policy: 'open' }).policy).toBe('open');
});

test('keys are read from the configuration and from files', () => {
  const { keys, packs } = parse({
    keys: [
      { keyId: 'a', publicKey },
      { keyId: 'b', file: 'good.pem', wholePack: true },
    ],
    packs: ['vendor.acme.*', { name: 'core.a.b', version: '1.0.0', integrity: `sha256-${'A'.repeat(43)}=` }],
  });
  expect([...keys.values()].map(({ keyId, wholePack }) => [keyId, wholePack])).toEqual([
    ['a', false],
    ['b', true],
  ]);
  expect(keys.get('a')?.publicKey.equals(keys.get('b')?.publicKey as never)).toBe(true);
  expect(packs).toHaveLength(2);
});

test('everything wrong is listed by its place', () => {
  const issues = issuesOf({
    policy: 'loose',
    colour: 1,
    keys: [
      7,
      { keyId: '', publicKey },
      { keyId: 'a', publicKey, file: 'good.pem' },
      { keyId: 'b' },
      { keyId: 'c', file: 'absent.pem' },
      { keyId: 'd', file: 'private.pem' },
      { keyId: 'e', publicKey: rsa },
      { keyId: 'f', publicKey: 'not a key' },
      { keyId: 'g', publicKey, wholePack: 'yes' },
      { keyId: 'h', publicKey },
      { keyId: 'h', publicKey },
    ],
    packs: [
      7,
      '',
      { name: 'core.a.b', version: '1.0.0' },
      { name: 'core.a.b', version: '1', integrity: 'md5' },
    ],
  });
  expect(issues.map(({ pointer }) => pointer).sort()).toEqual([
    '/trust/colour',
    '/trust/keys/0',
    '/trust/keys/1/keyId',
    '/trust/keys/10/keyId',
    '/trust/keys/2',
    '/trust/keys/3',
    '/trust/keys/4/file',
    '/trust/keys/5/file',
    '/trust/keys/6/publicKey',
    '/trust/keys/7/publicKey',
    '/trust/keys/8/wholePack',
    '/trust/packs/0',
    '/trust/packs/1',
    '/trust/packs/2/integrity',
    '/trust/packs/3/integrity',
    '/trust/policy',
  ]);
});

test('under the policy pinned a name alone is refused, with what to write', () => {
  const packs = [
    'vendor.acme.*',
    { name: 'core.a.b', version: '1.0.0', integrity: `sha256-${'A'.repeat(43)}=` },
  ];
  expect(issuesOf({ policy: 'pinned', packs })).toEqual([
    { pointer: '/trust/packs/0', message: expect.stringContaining('"integrity"') },
  ]);
  expect(issuesOf({ policy: 'allowlist', packs })).toEqual([]);
});

test('a value that is no object is refused', () => {
  expect(issuesOf([]).map(({ pointer }) => pointer)).toEqual(['/trust']);
  expect(issuesOf({ keys: {}, packs: 'all' }).map(({ pointer }) => pointer)).toEqual([
    '/trust/keys',
    '/trust/packs',
  ]);
});

test('a private key is refused without a part of it being repeated', () => {
  const issues = issuesOf({ keys: [{ keyId: 'a', publicKey: privateKey }] });
  expect(issues[0]?.message).toContain('private key');
  const secret = privateKey.split('\n')[1] ?? '';
  expect(secret.length).toBeGreaterThan(40);
  expect(JSON.stringify(issues)).not.toContain(secret.slice(20, 40));
});

function issuesOf(value: unknown): readonly Issue[] {
  try {
    parse(value);
  } catch (error) {
    if (isHostError(error)) return error.details?.issues as readonly Issue[];
    throw error;
  }
  return [];
}

test('names limit a key, and are names or prefixes', () => {
  const keyWith = (names: unknown) => ({ keys: [{ keyId: 'a', publicKey, names }] });
  const names = ['core.openwop.*', 'vendor.acme.support', 'community.*'];
  expect(parse(keyWith(names)).keys.get('a')?.names).toEqual(names);
  expect(parse({ keys: [{ keyId: 'a', publicKey }] }).keys.get('a')).not.toHaveProperty('names');
  for (const wrong of [['*'], ['core.*.x'], ['core.openwop*'], ['Core.x'], [''], [7], [], 'core.openwop.*'])
    expect(issuesOf(keyWith(wrong))[0]?.pointer).toMatch(/^\/trust\/keys\/0\/names(\/0)?$/);
});
