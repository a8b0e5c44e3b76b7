import { createPrivateKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Scorecard } from '@touchstone/protocol';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sealStatement } from './envelope.js';
import { keyIdOf, publicKeyOf } from './keys.js';
import { statementOf } from './statement.js';
import { anyCard, FULL_CARD, HOST, KNOWN_PRIVATE_KEY, pointersOf, refusalOf } from './testing/cards.js';
import {
  changed,
  IN_TOTO,
  OTHER,
  open,
  pae,
  parts,
  refusal,
  SEALED,
  SIGNING,
  STATEMENT,
  STRANGER,
  signed,
  TRUSTED,
} from './testing/envelopes.js';

test('an independent DSSE implementation confirms the example of the protocol page', () => {
  const bytes = pae('http://example.com/HelloWorld', Buffer.from('hello world'));
  expect(bytes.toString()).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
});

describe('a scorecard file', () => {
  test('comes back as it went, with the word of its signer', () => {
    fc.assert(
      fc.property(anyCard, (card) => {
        const opened = open(sealStatement(statementOf(card, HOST), SIGNING));
        expect(opened).toEqual({
          scorecard: card,
          host: HOST,
          statement: statementOf(card, HOST),
          signature: { state: 'trusted', keyId: 'acme-2026' },
        });
      }),
    );
    expect(open(SEALED).scorecard).toEqual(FULL_CARD);
  });

  test('is a DSSE envelope around canonical JSON, by other tools than ours', () => {
    fc.assert(
      fc.property(anyCard, (card) => {
        const { payloadType, payload, signatures } = parts(sealStatement(statementOf(card, HOST), SIGNING));
        const body = Buffer.from(payload, 'base64');
        expect(payloadType).toBe(IN_TOTO);
        expect(signatures.map(({ keyid }) => keyid)).toEqual(['acme-2026']);
        const sig = Buffer.from(signatures[0]?.sig ?? '', 'base64');
        expect(verify(null, pae(payloadType, body), TRUSTED.publicKey, sig)).toBe(true);
        expect(body.toString()).toBe(canonicalize(JSON.parse(body.toString())));
      }),
    );
  });

  test('names agent and suite as its subjects, by their digests', () => {
    expect(STATEMENT.subject).toEqual([
      { name: 'local.acme.support@2.0.0-rc.1', digest: { sha256: '2'.repeat(64) } },
      { name: 'core.acme.evals.refunds@1.2.0', digest: { sha256: '1'.repeat(64) } },
    ]);
  });

  test('has the same bytes whenever card and key are the same, whatever the order of their members', () => {
    fc.assert(
      fc.property(anyCard, (card) => {
        const turned = Object.fromEntries(Object.entries(card).reverse()) as Scorecard;
        const texts = [card, turned].map((each) => sealStatement(statementOf(each, HOST), SIGNING));
        expect(texts[0]).toBe(texts[1]);
      }),
    );
  });

  // The format of files that lie in other people's archives. A change that breaks this needs another predicate type.
  test('has the bytes that the first version gave it', () => {
    const fixture = readFileSync(new URL('./fixtures/scorecard-v1.intoto', import.meta.url), 'utf8');
    expect(SEALED).toBe(fixture);
    expect(open(fixture).scorecard).toEqual(FULL_CARD);
  });

  test('is not written with anything that a reader would refuse', () => {
    const smuggled = { ...FULL_CARD, output: 'an answer' } as Scorecard;
    const pointers = pointersOf(refusalOf(() => sealStatement(statementOf(smuggled, HOST), SIGNING)));
    expect(pointers).toEqual(['/predicate/scorecard']);
    const twoLines = { ...SIGNING, keyId: 'two\nlines' };
    expect(pointersOf(refusalOf(() => sealStatement(STATEMENT, twoLines)))).toEqual(['/signing/keyId']);
  });
});

describe('trust', () => {
  test('nobody has signed: the file opens, and says so', () => {
    const text = sealStatement(STATEMENT);
    expect(parts(text).signatures).toEqual([]);
    expect(open(text)).toMatchObject({ scorecard: FULL_CARD, signature: { state: 'unsigned' } });
  });

  test('a signature by nobody the reader knows proves nothing, be it right or wrong', () => {
    expect(open(SEALED, []).signature).toEqual({ state: 'untrusted', keyId: 'acme-2026' });
    const wrong = Buffer.alloc(64).toString('base64');
    const unknown = changed({ signatures: [{ keyid: 'who', sig: wrong }] });
    expect(open(unknown).signature).toEqual({ state: 'untrusted', keyId: 'who' });
    for (const keyid of [undefined, '']) {
      const nameless = changed({ signatures: [{ keyid, sig: parts(SEALED).signatures[0]?.sig }] });
      expect(open(nameless).signature).toEqual({ state: 'untrusted' });
    }
  });

  test('a signature under the name of a trusted key that is not its own refuses the file', () => {
    const forged = sealStatement(STATEMENT, { ...SIGNING, privateKey: STRANGER.privateKey });
    expect(refusal(forged)?.message).toContain('The signature of key acme-2026 does not fit');
    const relabelled = signed(Buffer.from(parts(SEALED).payload, 'base64'), 'other-2026');
    expect(pointersOf(refusal(relabelled))).toEqual(['/signatures/0/sig']);
  });

  test('one trusted signature is enough, but no known one may be wrong', () => {
    const mine = parts(SEALED).signatures[0];
    const others = parts(sealStatement(STATEMENT, { keyId: 'other-2026', privateKey: STRANGER.privateKey }));
    const unknown = { keyid: 'who', sig: mine?.sig };
    const forged = { keyid: 'other-2026', sig: mine?.sig };
    const state = (signatures: readonly unknown[]) => open(changed({ signatures })).signature;
    expect(state([unknown, mine])).toEqual({ state: 'trusted', keyId: 'acme-2026' });
    expect(state([others.signatures[0], mine])).toEqual({ state: 'trusted', keyId: 'other-2026' });
    expect(pointersOf(refusal(changed({ signatures: [mine, forged] })))).toEqual(['/signatures/1/sig']);
  });

  test('two keys may share a name while one replaces the other', () => {
    const renamed = { ...OTHER, keyId: TRUSTED.keyId };
    expect(open(SEALED, [renamed, TRUSTED]).signature.state).toBe('trusted');
  });

  test('a key that is limited to names is unknown to the scorecards of other agents', () => {
    const state = (...names: string[]) => open(SEALED, [{ ...TRUSTED, names }]).signature;
    for (const name of ['local.acme.*', 'local.*', 'local.acme.support', 'local.acme'])
      expect(state('core.openwop.*', name)).toEqual({ state: 'trusted', keyId: 'acme-2026' });
    for (const name of ['local.acm.*', 'core.openwop.*', 'local.acme.support.desk'])
      expect(state(name)).toEqual({ state: 'untrusted', keyId: 'acme-2026' });
  });

  test('a key of another kind has signed nothing', () => {
    for (const { publicKey } of [generateKeyPairSync('x25519'), generateKeyPairSync('ed448')])
      expect(pointersOf(refusal(SEALED, [{ keyId: 'acme-2026', publicKey }]))).toEqual(['/signatures/0/sig']);
  });

  test('the content alone, or under another type, is not what a signature covers', () => {
    const body = Buffer.from(parts(SEALED).payload, 'base64');
    const key = createPrivateKey(KNOWN_PRIVATE_KEY);
    for (const covered of [body, pae('application/json', body)]) {
      const sig = sign(null, covered, key).toString('base64');
      expect(pointersOf(refusal(changed({ signatures: [{ keyid: 'acme-2026', sig }] })))).toEqual([
        '/signatures/0/sig',
      ]);
    }
    expect(pointersOf(refusal(signed(body, 'acme-2026', 'application/json')))).toEqual(['/payloadType']);
  });
});

test('a key that nobody has named is known by its own digest', () => {
  const keyId = keyIdOf(publicKeyOf(STRANGER.privateKey));
  const text = sealStatement(STATEMENT, { keyId, privateKey: STRANGER.privateKey });
  expect(open(text, [{ keyId, publicKey: OTHER.publicKey }]).signature).toEqual({ state: 'trusted', keyId });
});
