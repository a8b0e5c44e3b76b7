import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCriterion } from './criterion.js';

describe('a criterion', () => {
  it.each(['The answer is kind.', ' [check:json] looks like one', '[x] done', 'check:json {} no'])(
    'is prose unless it begins as a check: %s',
    (text) => {
      expect(parseCriterion(text)).toEqual({ kind: 'prose', sentence: text });
    },
  );

  it('is a check with its arguments and the sentence that says the same', () => {
    expect(parseCriterion('[check:contains {"text":"a ] } \\" b"}] Names the order.')).toEqual({
      kind: 'check',
      name: 'contains',
      args: { text: 'a ] } " b' },
      sentence: 'Names the order.',
    });
    expect(parseCriterion('[check:json] Is JSON.')).toMatchObject({ kind: 'check', args: {} });
    expect(parseCriterion('[check:schema {"schema":{"enum":[[1],{"a":[2]}]}}] Fits.')).toMatchObject({
      args: { schema: { enum: [[1], { a: [2] }] } },
    });
  });

  it.each([
    '[check:unknown {}] Something.',
    '[check:] Something.',
    '[check:json {}]',
    '[check:json {}] ',
    '[check:json {}]No space.',
    '[check:json {]} Broken.',
    '[check:json [1]] A list.',
    '[check:json{}] No space.',
    '[check:json {"a":1}',
    '[check:json {"a":NaN}] Not JSON.',
  ])('that begins as a check and is none is refused: %s', (text) => {
    expect(parseCriterion(text).kind).toBe('malformed');
  });

  it.each([
    'json {"x":1}',
    'schema {}',
    'schema {"schema":[]}',
    'length {"min":-1}',
    'length {}',
    'length {"min":5,"max":1}',
    'tool-called {"tool":"x","min":3,"max":1}',
    'length {"unit":"lines"}',
    'contains {"text":""}',
    'contains {"text":[]}',
    'excludes {"text":["a",1]}',
    'regex {"pattern":1}',
    'tool-called {"min":1}',
    'tool-not-called {"tool":"x","max":1}',
    'cites {}',
    'refused {"really":true}',
    'all {"of":[{"json":{},"weight":0}]}',
  ])('whose arguments a check does not take is refused: %s', (inside) => {
    const parsed = parseCriterion(`[check:${inside}] Something.`);
    expect(parsed).toMatchObject({
      kind: 'malformed',
      message: expect.stringContaining(inside.split(' ')[0] ?? ''),
    });
  });

  it('any text in its arguments comes back as it was written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
        fc.boolean(),
        fc.string({ minLength: 1 }).filter((text) => /^\S/.test(text)),
        (text, ignoreCase, sentence) => {
          const args = { text, ignoreCase };
          const parsed = parseCriterion(`[check:contains ${JSON.stringify(args)}] ${sentence}`);
          expect(parsed).toEqual({ kind: 'check', name: 'contains', args, sentence: sentence.trim() });
        },
      ),
    );
  });

  it('of any text is read without an exception', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseCriterion(`[check:${text}`);
      }),
    );
  });
});
