import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sealStatement } from './envelope.js';
import { statementOf } from './statement.js';
import { anyCard, HOST, pointersOf } from './testing/cards.js';
import { changed, open, outcomeOf, parts, refusal, SEALED, SIGNING } from './testing/envelopes.js';

describe('a changed file', () => {
  // Goal: nobody can alter what is signed, or the signature, and keep the trust. Method: one bit of every character of
  // the three texts, then one of every byte that the base64 stands for; which bit moves on from place to place.
  const { payload, signatures } = parts(SEALED);
  const [{ keyid = '', sig = '' } = {}] = signatures;

  test.each([
    ['payload', payload, (text: string) => changed({ payload: text })],
    ['signature', sig, (text: string) => changed({ signatures: [{ keyid, sig: text }] })],
    ['key id', keyid, (text: string) => changed({ signatures: [{ keyid: text, sig }] })],
  ])('is never trusted with a bit of any character of its %s turned', (_, text, rebuild) => {
    const outcomes = Array.from(text, (_char, at) => outcomeOf(rebuild(withBit(text, at, 1 << (at % 7)))));
    expect(outcomes).not.toContain('trusted');
  });

  test('is refused with a bit of any byte of its payload, or any bit of its signature, turned', () => {
    const body = Buffer.from(payload, 'base64');
    const bytes = Buffer.from(sig, 'base64');
    body.forEach((_, at) => {
      expect(outcomeOf(changed({ payload: flipped(body, at, at % 8) }))).toBe('refused');
    });
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const wrong = { keyid, sig: flipped(bytes, bit >> 3, bit & 7) };
      expect(outcomeOf(changed({ signatures: [wrong] }))).toBe('refused');
    }
  });

  test('keeps its trust through an edit only while it says what was signed', () => {
    const edit = fc.record({
      card: anyCard,
      place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      drop: fc.nat({ max: 3 }),
      insert: fc.string({ unit: 'binary', maxLength: 3 }),
    });
    fc.assert(
      fc.property(edit, ({ card, place, drop, insert }) => {
        const text = sealStatement(statementOf(card, HOST), SIGNING);
        const at = Math.floor(place * text.length);
        const edited = text.slice(0, at) + insert + text.slice(at + drop);
        // White space of the envelope is nobody's concern.
        if (outcomeOf(edited) === 'trusted') expect(open(edited).scorecard).toEqual(card);
      }),
      { numRuns: 500 },
    );
  });

  test('base64 has one spelling', () => {
    const unpadded = payload.replace(/=+$/, '');
    const spellings = [
      `${payload}=`,
      ` ${payload}`,
      `${payload}\n`,
      ...(unpadded === payload ? [] : [unpadded]),
    ];
    for (const spelling of spellings)
      expect(pointersOf(refusal(changed({ payload: spelling })))).toEqual(['/payload']);
    const urlSafe = `${'A'.repeat(85)}-==`;
    expect(pointersOf(refusal(changed({ signatures: [{ keyid, sig: urlSafe }] })))).toEqual([
      '/signatures/0/sig',
    ]);
  });
});

const withBit = (text: string, at: number, bit: number): string =>
  text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ bit) + text.slice(at + 1);

function flipped(bytes: Buffer, at: number, bit: number): string {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ (1 << bit);
  return copy.toString('base64');
}
