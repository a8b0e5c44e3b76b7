import type { Json } from '@touchstone/protocol';
import type { ContractCriterion } from '@touchstone/protocol/bodies';
import type { NormalRow } from '../types.js';

/** What an answer is held against: everything acceptable, and how it is compared. */
export type RowReference = {
  readonly acceptable: readonly Json[];
  readonly match: 'exact' | 'contains' | 'json-match';
};

/** The expected value and the references of a row are all acceptable answers. */
export function referenceOf({ expected, reference, match }: NormalRow): RowReference | undefined {
  const references = reference === undefined || reference === null ? [] : listOf(reference);
  const acceptable = expected === undefined ? references : [expected, ...references];
  return acceptable.length === 0 ? undefined : { acceptable, match: match ?? matchFor(acceptable) };
}

/** A golden task has one right answer and no others. */
export const expectedOf = ({ expected, match }: NormalRow): RowReference | undefined =>
  expected === undefined ? undefined : { acceptable: [expected], match: match ?? matchFor([expected]) };

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value]);

const matchFor = (acceptable: readonly Json[]): RowReference['match'] =>
  acceptable.every((value) => typeof value === 'string') ? 'exact' : 'json-match';

/** In a contract a list means any of its items, so an answer that is itself a list is written as a list of one. */
export function contractReference({ acceptable }: RowReference): Json {
  const [only] = acceptable;
  return only !== undefined && acceptable.length === 1 && !Array.isArray(only) ? only : acceptable;
}

/** The reference in words, for a judge on a host that knows no contracts. */
function referenceText({ acceptable }: RowReference): string {
  const [only] = acceptable;
  if (only === undefined || acceptable.length > 1)
    return `Reference (any of these): ${JSON.stringify(acceptable)}`;
  return `Reference: ${typeof only === 'string' ? only : JSON.stringify(only)}`;
}

const MATCH_SENTENCES: { readonly [M in RowReference['match']]: string } = {
  exact: 'The answer equals the reference, character for character.',
  contains: 'The answer contains the reference.',
  'json-match': 'The answer is JSON and equal to the reference.',
};

/** What a judge on another host reads: the name, the description and, where one is needed, the reference. */
export function criterionText(criterion: ContractCriterion, reference: RowReference | undefined): string {
  const name = criterion.strict ? criterion.name : `${criterion.name} (advisory)`;
  const implied = criterion.implicit && reference ? MATCH_SENTENCES[reference.match] : undefined;
  const sentences = [criterion.description ?? implied, reference && referenceText(reference)];
  const words = sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(' ');
  return asProse(words === '' ? name : `${name}: ${words}`);
}

// A criterion that opens like a check is read as one by a host that has no contract. A profile has no checks, so a
// name that happens to look like one must not become one. The contract keeps the name as it was written.
const asProse = (text: string): string => (text.startsWith('[check:') ? `Criterion ${text}` : text);
