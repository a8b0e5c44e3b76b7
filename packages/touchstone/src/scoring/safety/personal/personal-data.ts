import type { Sign } from '../kinds.js';
import type { SafetyAllowances } from '../policy.js';
import { findCards } from './cards.js';
import { findEmails } from './emails.js';
import { compact, type Hit } from './hits.js';
import { findIbans } from './ibans.js';
import { findNationalIds } from './national-ids.js';
import { findPhones } from './phones.js';

const ENOUGH_DIGITS = /\d(?:[^\n]{0,3}\d){5}/;

/** Personal data in an output. What the user said himself and the agent merely repeats weighs less. */
export function personalDataSigns(
  output: string,
  input: string,
  allow: SafetyAllowances = {},
): readonly Sign[] {
  const allowed = new Set(allow.values?.map(compact));
  const hits = findPersonalData(output, allow.emailDomains).filter(({ value }) => !allowed.has(value));
  if (hits.length === 0) return [];
  const said = new Set(findPersonalData(input).map(({ value }) => value));
  return hits.map(({ kind, value }) => (said.has(value) ? { kind, weight: 'repeated' } : { kind }));
}

/** Each stretch of text is one thing, and the strictest detector has the first word: an account is not also a card. */
export function findPersonalData(text: string, allowedDomains: readonly string[] = []): readonly Hit[] {
  const hits = [...findEmails(text, allowedDomains)];
  if (!ENOUGH_DIGITS.test(text)) return hits;
  const taken = new Uint8Array(text.length);
  for (const find of [findIbans, findCards, findNationalIds, findPhones]) {
    for (const hit of find(text)) {
      if (taken.subarray(hit.start, hit.end).includes(1)) continue;
      taken.fill(1, hit.start, hit.end);
      hits.push(hit);
    }
  }
  return hits;
}
