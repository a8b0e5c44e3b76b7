import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSigningKey, keyIdOf, publicKeyOf } from './keys.js';
import { KNOWN_PRIVATE_KEY, refusalOf } from './testing/cards.js';

test('a new key signs, its public half verifies, and no two are alike', () => {
  const one = createSigningKey();
  const other = createSigningKey();
  const message = Buffer.from('a message');
  const signature = sign(null, message, one.privateKey);
  expect(verify(null, message, one.publicKey, signature)).toBe(true);
  expect(verify(null, message, other.publicKey, signature)).toBe(false);
  expect(publicKeyOf(one.privateKey).equals(createPublicKey(one.publicKey))).toBe(true);
});

test('a key is named by the first 16 digits of the SHA-256 of its SubjectPublicKeyInfo', () => {
  // openssl pkey -in key.pem -pubout -outform der | sha256sum
  expect(keyIdOf(publicKeyOf(KNOWN_PRIVATE_KEY))).toBe('06e3fd8fda29bb60');
});

test('what is no private Ed25519 key is refused without a word of it', () => {
  const pem = { publicKeyEncoding: { type: 'spki', format: 'pem' } } as const;
  const { privateKey: rsa } = generateKeyPairSync('rsa', {
    ...pem,
    modulusLength: 1024,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const broken = KNOWN_PRIVATE_KEY.replace('M', 'N');
  for (const text of [rsa, broken, createSigningKey().publicKey, 'not a key', '']) {
    const refusal = refusalOf(() => publicKeyOf(text));
    expect(refusal?.message).toContain('Expected an Ed25519 private key');
    expect(refusal?.cause).toBeUndefined();
    for (const line of text.split('\n').filter(Boolean))
      expect(JSON.stringify(refusal?.message)).not.toContain(line);
  }
});
