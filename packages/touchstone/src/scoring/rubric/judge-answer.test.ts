import { type Schema, schemaIssues } from '@touchstone/protocol/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readVerdicts } from './judge-answer.js';
import { ANSWER_SCHEMA } from './judge-prompt.js';

const PLAIN = [{ sentence: 'one' }, { sentence: 'two' }];
const GRADED = [{ sentence: 'one', graded: true as const }];
const good = (criterion: number, met = true) => ({ criterion, reason: 'because', met });
const answer = (...verdicts: readonly unknown[]): string => JSON.stringify({ verdicts });

describe('a judge’s answer', () => {
  it('is read in whatever order its verdicts come', () => {
    const numbers = fc.integer({ min: 1, max: 30 }).chain((count) =>
      fc.shuffledSubarray(
        Array.from({ length: count }, (_, i) => i + 1),
        { minLength: count },
      ),
    );
    fc.assert(
      fc.property(numbers, fc.func(fc.boolean()), (order, metOf) => {
        const criteria = order.map((number) => ({ sentence: `c${number}` }));
        const verdicts = readVerdicts(
          answer(...order.map((number) => good(number, metOf(number)))),
          criteria,
        );
        expect(verdicts?.map(({ met }) => met)).toEqual(criteria.map((_, index) => metOf(index + 1)));
      }),
    );
  });

  it.each([
    ['plain', answer(good(1), good(2))],
    ['with white space', `\n  ${JSON.stringify({ verdicts: [good(1), good(2)] }, null, 2)}\n`],
    ['in a fence', `\`\`\`json\n${answer(good(1), good(2))}\n\`\`\`\n`],
    ['in a fence without a language', `\`\`\`\n${answer(good(1), good(2))}\n\`\`\``],
  ])('is readable %s', (_, text) => {
    expect(readVerdicts(text, PLAIN)).toEqual([
      { met: true, reason: 'because' },
      { met: true, reason: 'because' },
    ]);
  });

  it.each([
    ['empty', ''],
    ['prose', 'Both criteria are met.'],
    ['JSON with prose before it', `Here you are: ${answer(good(1), good(2))}`],
    ['JSON with prose after it', `${answer(good(1), good(2))} I hope this helps.`],
    ['two answers', answer(good(1), good(2)) + answer(good(1), good(2))],
    ['cut short', answer(good(1), good(2)).slice(0, -2)],
    ['null', 'null'],
    ['a list', JSON.stringify([good(1), good(2)])],
    ['without verdicts', '{}'],
    ['with verdicts that are no list', '{"verdicts":{"1":true}}'],
    ['with a member nobody asked for', JSON.stringify({ verdicts: [good(1), good(2)], overall: true })],
    ['one verdict short', answer(good(1))],
    ['one verdict too long', answer(good(1), good(2), good(3))],
    ['the same criterion twice', answer(good(1), good(1, false))],
    ['a criterion that is not there', answer(good(1), good(3))],
    ['a criterion before the first', answer(good(0), good(1))],
    ['a criterion between two', answer(good(1), good(1.5))],
    ['a criterion by its name', answer(good(1), { ...good(2), criterion: 'two' })],
    ['a verdict that is none', answer(good(1), true)],
    ['met in words', answer(good(1), { ...good(2), met: 'true' })],
    ['met as a number', answer(good(1), { ...good(2), met: 1 })],
    ['without met', answer(good(1), { criterion: 2, reason: 'because' })],
    ['without a reason', answer(good(1), { criterion: 2, met: true })],
    ['a reason that is no text', answer(good(1), { ...good(2), reason: null })],
    ['an extra member of a verdict', answer(good(1), { ...good(2), weight: 1 })],
  ])('is unreadable when it is %s', (_, text) => {
    expect(readVerdicts(text, PLAIN)).toBeUndefined();
  });

  it.each([0, 0.25, 1])('gives a graded criterion its score of %d', (score) => {
    expect(readVerdicts(answer({ ...good(1), score }), GRADED)).toEqual([
      { met: true, reason: 'because', score },
    ]);
  });

  it.each([undefined, -0.01, 1.01, '1', null])('is unreadable when a graded criterion gets %j', (score) => {
    expect(readVerdicts(answer({ ...good(1), score }), GRADED)).toBeUndefined();
  });

  it.each([0.3, 0, 1, null])(
    'with a score of %j where none was asked for counts by its yes or no',
    (score) => {
      const verdicts = readVerdicts(answer({ ...good(1), score }, good(2)), PLAIN);
      expect(verdicts).toEqual(readVerdicts(answer(good(1), good(2)), PLAIN));
      expect(verdicts?.[0]).not.toHaveProperty('score');
    },
  );

  it.each([-0.1, 1.1, '0.3'])(
    'with a score of %j, which the schema does not allow, is not an answer',
    (score) => {
      expect(readVerdicts(answer({ ...good(1), score }, good(2)), PLAIN)).toBeUndefined();
    },
  );

  it('is read whenever it fits the schema that was sent with the question', () => {
    const verdict = fc.record(
      { reason: fc.string(), met: fc.boolean(), score: fc.double({ min: 0, max: 1, noNaN: true }) },
      { requiredKeys: ['reason', 'met'] },
    );
    fc.assert(
      fc.property(verdict, verdict, (first, second) => {
        const text = answer({ criterion: 1, ...first }, { criterion: 2, ...second });
        expect(schemaIssues(ANSWER_SCHEMA as unknown as Schema, JSON.parse(text))).toEqual([]);
        expect(readVerdicts(text, PLAIN)).toHaveLength(2);
      }),
    );
  });

  it('is never anything but read or unreadable, whatever comes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readVerdicts(text, PLAIN)).toBeUndefined();
      }),
    );
  });
});
