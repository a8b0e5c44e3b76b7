import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OpenedEnvelope } from './envelope.js';
import { FULL_CARD, placesOf, pointersOf, refusalOf, valueAt, withValueAt } from './testing/cards.js';
import {
  changed,
  IN_TOTO,
  open,
  outcomeOf,
  parts,
  refusal,
  SEALED,
  STATEMENT,
  signed,
  signedJson,
} from './testing/envelopes.js';

describe('what is no scorecard file', () => {
  test.each<[string, string, string, string]>([
    ['text', 'score: 0.9', '', 'this is no JSON'],
    ['nothing', '', '', 'this is no JSON'],
    ['a cut file', SEALED.slice(0, -10), '', 'this is no JSON'],
    ['a number', '7', '', 'but found a number. A scorecard file is written by: touchstone export'],
    ['a summary', JSON.stringify(FULL_CARD.summary), '', 'but found an eval summary'],
    ['a bare card', JSON.stringify(FULL_CARD), '', 'but found a scorecard without its envelope'],
    [
      'a bare statement',
      JSON.stringify(STATEMENT),
      '',
      'but found an in-toto statement without its envelope',
    ],
    ['--json', '{"runId":"r","exitCode":0,"summary":null}', '', 'but found the output of --json'],
    ['a report', '{"aggregate":{},"verdict":"pass"}', '', 'but found the report of a run'],
    ['another document', '{"a":1}', '', 'but found another JSON document'],
    [
      'another payload',
      changed({ payloadType: 'text/plain' }),
      '/payloadType',
      'around an in-toto statement',
    ],
    ['no list of signatures', changed({ signatures: undefined }), '/signatures', 'Expected an array'],
    ['too many of them', changed({ signatures: Array(17).fill({}) }), '/signatures', 'at most 16'],
    ['a signature that is none', changed({ signatures: [7] }), '/signatures/0', 'keyid and sig'],
    ['a short one', changed({ signatures: [{ sig: 'AAAA' }] }), '/signatures/0/sig', '64 bytes'],
    [
      'a key id that is none',
      changed({ signatures: [{ keyid: 7, sig: `${'A'.repeat(86)}==` }] }),
      '/signatures/0/keyid',
      'name of a key',
    ],
    [
      'an older in-toto',
      signedJson({ ...STATEMENT, _type: 'https://in-toto.io/Statement/v0.1' }),
      '/_type',
      'Expected an in-toto statement',
    ],
    [
      'a build',
      signedJson({ ...STATEMENT, predicateType: 'https://slsa.dev/provenance/v1' }),
      '/predicateType',
      'This is an in-toto statement, but not a scorecard.',
    ],
    [
      'a later version',
      signedJson({ ...STATEMENT, predicateType: 'urn:touchstone:scorecard:v2' }),
      '/predicateType',
      'of another version of the format',
    ],
    ['no predicate', signedJson({ ...STATEMENT, predicate: undefined }), '/predicate', 'expected an object'],
    ['a list as statement', signedJson([]), '', 'Expected an in-toto statement, but found an array'],
    ['two payloads', SEALED.replace('{', '{"payload":"",'), '', 'has the same member twice'],
    ['two names of a key', SEALED.replace('"sig"', '"k\\u0065yid":"x","sig"'), '', 'the same member twice'],
    [
      'two verdicts, properly signed',
      signed(Buffer.from(JSON.stringify(STATEMENT).replace('"passed":', '"passed":true,"passed":'))),
      '/payload',
      'has the same member twice',
    ],
    ['broken UTF-8', signed(Buffer.from([0x22, 0xff, 0x22])), '/payload', 'this is no JSON'],
    [
      'a byte order mark',
      signed(Buffer.from(`\ufeff${JSON.stringify(STATEMENT)}`)),
      '/payload',
      'this is no JSON',
    ],
  ])('%s', (_, text, pointer, words) => {
    const error = refusal(text);
    expect(pointersOf(error)[0]).toBe(pointer);
    expect(error?.message).toContain(words);
  });

  test.each<[string, unknown, string]>([
    [
      'another agent',
      withValueAt(STATEMENT, ['subject', 0, 'digest', 'sha256'], '7'.repeat(64)),
      '/subject/0',
    ],
    [
      'another suite',
      withValueAt(STATEMENT, ['subject', 1, 'name'], 'core.acme.evals.x@1.2.0'),
      '/subject/1',
    ],
    ['one subject', { ...STATEMENT, subject: STATEMENT.subject.slice(0, 1) }, '/subject'],
    ['no subject', { ...STATEMENT, subject: undefined }, '/subject'],
  ])('a scorecard that is filed under %s', (_, statement, pointer) => {
    expect(pointersOf(refusal(signedJson(statement)))).toEqual([pointer]);
  });

  test('members beside those of in-toto and DSSE are passed over and not handed on', () => {
    const opened = open(signedJson({ ...STATEMENT, later: 'CANARY' }).replace('{', '{"later":"CANARY",'));
    expect(opened.statement).toEqual(STATEMENT);
    expect(JSON.stringify(opened)).not.toContain('CANARY');
  });

  test('a file without end, in depth or in length, is refused before it is parsed', () => {
    const deep = '['.repeat(5_000_000);
    expect(refusal(deep)?.message).toContain('nests too deep');
    expect(refusal(signed(Buffer.from(`{"a":${deep}`)))?.message).toContain('nests too deep');
    // Brackets inside a text do not nest, and an escaped quote does not end it.
    const quoted = { ...STATEMENT, note: `"\\${'[{'.repeat(100)}\\` };
    expect(open(signedJson(quoted)).signature.state).toBe('trusted');
    expect(refusal(' '.repeat(64 * 1024 * 1024 + 1))?.message).toContain('this one is larger');
  });

  test('no input whatsoever leads to any other error', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const envelope = fc.record(
      {
        payloadType: fc.oneof(fc.constant(IN_TOTO), json),
        payload: fc.oneof(
          json.map((value) => Buffer.from(JSON.stringify(value)).toString('base64')),
          fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
          json,
        ),
        signatures: fc.oneof(
          fc.constant([]),
          fc.array(fc.record({ keyid: json, sig: fc.oneof(fc.constant(`${'A'.repeat(86)}==`), json) })),
          json,
        ),
      },
      { requiredKeys: [] },
    );
    const place = fc.constantFrom(...placesOf(STATEMENT));
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      envelope.map((value) => JSON.stringify(value)),
      fc.tuple(place, json).map(([path, value]) => signedJson(withValueAt(STATEMENT, path, value) ?? null)),
    );
    fc.assert(
      fc.property(text, (given) => {
        outcomeOf(given);
      }),
      { numRuns: 3000 },
    );
  });
});

// Goal: a refusal never repeats what is in the file. Method: a text that no member can hold, in the place of every value
// and as a further member of every object; the file is properly signed, so that every check is reached.
test('no refusal repeats what is in the file, and no such file opens', () => {
  const canary = 'CANARY\nsaid the customer';
  const inner = placesOf(STATEMENT).flatMap((path) => {
    const value = valueAt(STATEMENT, path);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const extended = isObject && withValueAt(STATEMENT, [...path, canary], canary);
    return [withValueAt(STATEMENT, path, canary), ...(extended ? [extended] : [])];
  });
  const outer = placesOf(parts(SEALED)).map((path) => withValueAt(parts(SEALED), path, canary));
  const texts = [...inner.map(signedJson), ...outer.map((value) => JSON.stringify(value)), canary];
  for (const text of texts) {
    let opened: OpenedEnvelope | undefined;
    const error = refusalOf(() => {
      opened = open(text);
    });
    const told = JSON.stringify([opened, error?.message, error?.details, String(error?.cause), error?.stack]);
    expect(told).not.toContain('CANARY');
  }
  expect(texts.filter((text) => outcomeOf(text) === 'refused').length).toBeGreaterThan(150);
});
