import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keyIdOf, openEnvelope, publicKeyOf, sealStatement, statementOf } from '../../evidence/index.js';
import { cardOf } from '../testing/scorecards.js';
import { ownKey, readOwnKey, trustedKeyOf } from './signing-key.js';

let folder: string;
let data: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-key-'));
  data = join(folder, 'deep', 'data');
});
afterEach(() => rmSync(folder, { recursive: true }));

const mode = (path: string): number => statSync(path).mode & 0o777;

test('looking for a key makes none', () => {
  expect(readOwnKey(data)).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test('a key is made once, for nobody else to read, and stays the same', async () => {
  const made = await ownKey(data);
  expect(readdirSync(data)).toEqual(['signing-key.pem']);
  expect([mode(data), mode(join(data, 'signing-key.pem'))]).toEqual([0o700, 0o600]);
  expect(await ownKey(data)).toEqual(made);
  expect(readOwnKey(data)).toEqual(made);
  expect(made.keyId).toBe(keyIdOf(publicKeyOf(made.privateKey)));
  expect(made.keyId).toMatch(/^[0-9a-f]{16}$/);
});

test('many who ask at once get the same key, and leave nothing else behind', async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, () => ownKey(data)));
  expect(new Set(keys.map(({ privateKey }) => privateKey)).size).toBe(1);
  expect(readdirSync(data)).toEqual(['signing-key.pem']);
});

test('what the key has signed, it believes, and what another one has signed under its name, it does not', async () => {
  const [mine, other] = [await ownKey(data), await ownKey(join(folder, 'other'))];
  const statement = statementOf(cardOf(), { name: 'touchstone', version: '1.0.0' });
  const trusted = trustedKeyOf(mine);
  expect(trusted.publicKey.type).toBe('public');
  expect(openEnvelope(sealStatement(statement, mine), [trusted]).signature).toEqual({
    state: 'trusted',
    keyId: mine.keyId,
  });
  const forged = sealStatement(statement, { ...other, keyId: mine.keyId });
  expect(() => openEnvelope(forged, [trusted])).toThrow('does not fit');
});

test('a file that holds no key is refused without repeating what it holds', async () => {
  const key = (await ownKey(data)).privateKey;
  const broken = key.replace('PRIVATE KEY', 'PRIVATE KEI');
  writeFileSync(join(data, 'signing-key.pem'), broken);
  const secret = key.split('\n')[1] as string;
  await expect(ownKey(data)).rejects.toThrow('signing-key.pem, cannot be read as an Ed25519 private key');
  await expect(ownKey(data)).rejects.not.toThrow(secret);
  expect(readFileSync(join(data, 'signing-key.pem'), 'utf8')).toBe(broken);
});
