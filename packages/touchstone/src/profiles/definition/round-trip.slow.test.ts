import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dumpDefinition, dumpProfile, withChange } from './builders.js';
import { parseDefinition, readDefinition, readProfile } from './read-definition.js';
import { definitionArbitrary, manifestArbitrary, profileArbitrary, words } from './testing/arbitraries.js';

const RUNS = { numRuns: 200 };

describe('what is loaded, dumped and loaded again', () => {
  test.each(['A', 'B'] as const)('is the same profile, in form %s', (form) => {
    fc.assert(
      fc.property(profileArbitrary(form), (given) => {
        const once = readProfile(JSON.stringify(given), { form });
        const dumped = dumpProfile(once, form);
        expect(readProfile(JSON.stringify(dumped), { form })).toEqual(once);
        expect(Object.values(dumped)).not.toContain(null);
        for (const criterion of (dumped.grading_rubric as readonly object[] | undefined) ?? [])
          expect(criterion).toHaveProperty('strict');
      }),
      RUNS,
    );
  });

  test('is the same definition, pinned the same', () => {
    fc.assert(
      fc.property(definitionArbitrary, (given) => {
        const once = readDefinition(JSON.stringify(given));
        expect(readDefinition(JSON.stringify(dumpDefinition(once.value)))).toEqual(once);
      }),
      RUNS,
    );
  });

  test('is the same manifest, pinned the same', () => {
    fc.assert(
      fc.property(manifestArbitrary, (given) => {
        const once = readDefinition(JSON.stringify(given));
        expect(readDefinition(JSON.stringify(dumpDefinition(once.value)))).toEqual(once);
      }),
      RUNS,
    );
  });

  test('has its members in declared order, whatever the order they came in', () => {
    fc.assert(
      fc.property(definitionArbitrary, (given) => {
        const backwards = Object.fromEntries(Object.entries(given).reverse());
        expect(JSON.stringify(parseDefinition(backwards).value)).toBe(
          JSON.stringify(parseDefinition(given).value),
        );
      }),
      RUNS,
    );
  });
});

test('every form B profile is a form A profile too, dumped in the order of either', () => {
  fc.assert(
    fc.property(profileArbitrary('B'), (given) => {
      const text = JSON.stringify(given);
      const profile = readProfile(text, { form: 'B' });
      expect(dumpProfile(profile, 'A')).toEqual(dumpProfile(profile, 'B'));
      expect(readProfile(text, { form: 'A' })).toEqual(
        'grading_rubric' in given ? profile : { ...profile, grading_rubric: null },
      );
    }),
    RUNS,
  );
});

test('a form A profile without descriptions cannot be dumped in form B', () => {
  const profile = readProfile('{"grading_rubric": [{"name": "tone"}]}');
  expect(() => dumpProfile(profile, 'B')).toThrow('/grading_rubric/0/description');
  expect(dumpProfile(readProfile('{}'), 'B')).toEqual({ grading_rubric: [] });
});

test('a copy without a change is equal, and one with a change differs in nothing else', () => {
  fc.assert(
    fc.property(definitionArbitrary, words, (given, retention) => {
      const { form, value } = parseDefinition(given);
      if (form !== 'A') throw new Error('Expected form A.');
      expect(withChange(value, {})).toEqual(value);
      const custom_metadata = { retention };
      expect(withChange(value, { custom_metadata })).toEqual({ ...value, custom_metadata });
    }),
    RUNS,
  );
});
