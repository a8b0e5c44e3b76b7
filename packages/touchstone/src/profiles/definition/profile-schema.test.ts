// Goal: an editor that checks a file by our published schema and the loader agree on every profile as it should be
// written. Leniency (a number in quotes) is the loader's alone and left out here.
import { profileSchemas } from '@touchstone/protocol/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readProfile } from './read-definition.js';
import { profileArbitrary } from './testing/arbitraries.js';

const loads = (text: string, form: 'A' | 'B'): boolean => {
  try {
    return readProfile(text, { form }) !== undefined;
  } catch {
    return false;
  }
};

const FORMS = [
  ['A', 'urn:touchstone:evaluation-profile:a'],
  ['B', 'urn:touchstone:evaluation-profile:b'],
] as const;

// What stands where it should not: of a type that no lenient reading takes, or under a name that nobody knows.
const misplaced = fc.constantFrom<unknown>([], {}, [[]], [{}], { name: 'a' }, null);
const member = fc.constantFrom(
  'expected_latency_ms',
  'golden_dataset_uri',
  'grading_rubric',
  'evaluator_model',
  'rubric',
  '__proto__',
);
const slip = fc.option(fc.tuple(member, misplaced), { nil: undefined });
const inCriterion = fc.option(
  fc.tuple(fc.constantFrom('name', 'description', 'threshold', 'strict', 'weight'), misplaced),
  { nil: undefined },
);

type Members = { readonly [name: string]: unknown };
const changed = (value: Members, change: readonly [string, unknown] | undefined): Members =>
  change ? Object.fromEntries([...Object.entries(value), change]) : value;

test.each(FORMS)('form %s: whatever the schema takes loads, and nothing else', (form, id) => {
  const fits = new Ajv2020({ allowUnionTypes: true }).compile(profileSchemas[id] ?? false);
  let refused = 0;
  fc.assert(
    fc.property(profileArbitrary(form), slip, inCriterion, (profile, change, criterionChange) => {
      const rubric = profile.grading_rubric as readonly Members[] | null | undefined;
      const inner = rubric?.[0] ? [changed(rubric[0], criterionChange), ...rubric.slice(1)] : rubric;
      const given = changed(inner === undefined ? profile : { ...profile, grading_rubric: inner }, change);
      const text = JSON.stringify(given);
      const accepted = fits(JSON.parse(text));
      if (!accepted) refused += 1;
      expect(loads(text, form)).toBe(accepted);
    }),
    { numRuns: 500 },
  );
  expect(refused).toBeGreaterThan(50);
});
