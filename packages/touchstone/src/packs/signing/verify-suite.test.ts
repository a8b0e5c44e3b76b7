import { createHash } from 'node:crypto';
import type { Digest } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { createSigningKey, sealSuite } from '../../evidence/index.js';
import { codeOf, errorOf } from '../testing/pack-bytes.js';
import { parseTrust, type TrustPolicy } from './trust.js';
import { suiteIntegrity, verifySuite } from './verify-suite.js';

const alice = createSigningKey();
const mallory = createSigningKey();
const digestOf = (text: string): Digest =>
  `sha256:${createHash('sha256').update(text).digest('hex')}` as Digest;
const SUITE = { suiteId: 'acme.shop.evals.desk', version: '1.0.0', digest: digestOf('desk') };
const ENVELOPE = sealSuite(SUITE, { keyId: 'alice', privateKey: alice.privateKey });

const trustOf = (policy: TrustPolicy, more: object = {}) =>
  parseTrust(
    {
      policy,
      keys: [{ keyId: 'alice', publicKey: alice.publicKey }],
      packs:
        policy === 'pinned'
          ? [{ name: SUITE.suiteId, version: SUITE.version, integrity: suiteIntegrity(SUITE) }]
          : ['acme.shop.*'],
      ...more,
    },
    'open',
    String,
  );

async function outcome(envelope: string | undefined, policy: TrustPolicy, suite = SUITE): Promise<string> {
  let found = '';
  const code = await codeOf(() => {
    const { signedBy = 'nobody', warnings } = verifySuite(suite, envelope, trustOf(policy));
    found = `${signedBy}${warnings.length > 0 ? ', warned' : ''}`;
  });
  return code === 'no error' ? found : code;
}

const POLICIES: readonly TrustPolicy[] = ['open', 'allowlist', 'pinned', 'verified'];
const REFUSED = 'pack_signature_invalid';
const BROKEN = 'pack_integrity_failure';
const all = (unlessVerified: string, verified = unlessVerified): readonly string[] => [
  unlessVerified,
  unlessVerified,
  unlessVerified,
  verified,
];
const edited = (members: object): string => JSON.stringify({ ...JSON.parse(ENVELOPE), ...members });

describe('a suite, by what was done to it and by the policy', () => {
  it.each<[string, string | undefined, readonly string[]]>([
    ['signed', ENVELOPE, all('alice')],
    ['without an envelope', undefined, all('nobody, warned', REFUSED)],
    ['with an envelope without signatures', edited({ signatures: [] }), all('nobody, warned', REFUSED)],
    [
      'signed by a stranger',
      sealSuite(SUITE, { keyId: 'mallory', privateKey: mallory.privateKey }),
      all('nobody, warned', REFUSED),
    ],
    [
      'signed by a stranger under the name of a known key',
      sealSuite(SUITE, { keyId: 'alice', privateKey: mallory.privateKey }),
      all(REFUSED),
    ],
    [
      'with the envelope of another version',
      sealSuite({ ...SUITE, version: '1.1.0' }, { keyId: 'alice', privateKey: alice.privateKey }),
      all(BROKEN),
    ],
    [
      'with the envelope of another suite',
      sealSuite(
        { ...SUITE, suiteId: 'acme.shop.evals.other' },
        { keyId: 'alice', privateKey: alice.privateKey },
      ),
      all(BROKEN),
    ],
    [
      'with the envelope of another content',
      sealSuite({ ...SUITE, digest: digestOf('other') }, { keyId: 'alice', privateKey: alice.privateKey }),
      all(BROKEN),
    ],
    [
      'with the envelope of another content, of a stranger',
      sealSuite(
        { ...SUITE, digest: digestOf('other') },
        { keyId: 'mallory', privateKey: mallory.privateKey },
      ),
      all(BROKEN),
    ],
    ['with a changed payload', edited({ payload: Buffer.from('{}').toString('base64') }), all(REFUSED)],
    ['with no envelope at all in its place', 'hello', all(REFUSED)],
    ['with another kind of statement', edited({ payloadType: 'text/plain' }), all(REFUSED)],
  ])('%s', async (_, envelope, expected) => {
    expect(await Promise.all(POLICIES.map((policy) => outcome(envelope, policy)))).toEqual(expected);
  });

  it('that is not on the list is refused, and one with another hash than the pinned one too', async () => {
    const other = { ...SUITE, suiteId: 'other.shop.evals.desk' };
    expect(await outcome(undefined, 'allowlist', other)).toBe('forbidden');
    expect(await outcome(undefined, 'pinned', other)).toBe('forbidden');
    const changed = { ...SUITE, digest: digestOf('other') };
    const envelope = sealSuite(changed, { keyId: 'alice', privateKey: alice.privateKey });
    expect(await outcome(envelope, 'pinned', changed)).toBe(BROKEN);
  });
});

describe('a key that is limited to names', () => {
  it('signs for suites of those names and for no others, under every policy', async () => {
    const limited = (names: readonly string[]) =>
      trustOf('open', { keys: [{ keyId: 'alice', publicKey: alice.publicKey, names }] });
    expect(verifySuite(SUITE, ENVELOPE, limited(['acme.shop.*'])).signedBy).toBe('alice');
    const { message } = await errorOf(() => verifySuite(SUITE, ENVELOPE, limited(['acme.sales.*'])));
    expect(message).toContain('trust.keys limits to other names');
  });
});

describe('one changed bit', () => {
  it('anywhere in the payload or the signature is never trusted', async () => {
    const { payload, signatures } = JSON.parse(ENVELOPE);
    const flip = (text: string, at: number): string => {
      const bytes = Buffer.from(text, 'base64');
      bytes[at >> 3] = (bytes[at >> 3] as number) ^ (1 << (at & 7));
      return bytes.toString('base64');
    };
    for (let bit = 0; bit < Buffer.from(payload, 'base64').length * 8; bit += 3)
      expect(await outcome(edited({ payload: flip(payload, bit) }), 'open')).toBe(REFUSED);
    const [{ keyid, sig }] = signatures;
    for (let bit = 0; bit < 512; bit += 1)
      expect(await outcome(edited({ signatures: [{ keyid, sig: flip(sig, bit) }] }), 'open')).toBe(REFUSED);
  });
});
