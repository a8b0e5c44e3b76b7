import type { ContractCriterion } from '@touchstone/protocol/bodies';
import { type RowReference, referenceText } from './reference.js';

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
