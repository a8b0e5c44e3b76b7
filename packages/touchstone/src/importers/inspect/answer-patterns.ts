import { lookUp, wordOf } from '../nodes.js';
import { carried, escaped, lost, type ScorerFacts, type ScorerReading } from './scorer-reading.js';

// Scorers that take the answer out of a text by a pattern. RE2 knows only the letters of ASCII as \w.
const ANSWERS: { readonly [pattern: string]: string } = {
  letter: '(?i)ANSWER\\s*:\\s*([A-Za-z])(?:[^\\pL\\pN_]|$)',
  word: '(?i)ANSWER\\s*:\\s*([\\pL\\pN_]+)(?:\\n|$)',
  line: '(?i)ANSWER\\s*:\\s*([^\\n]+)',
};

export function readAnswerLine(facts: ScorerFacts): ScorerReading {
  const pattern = lookUp(ANSWERS, wordOf(facts.params.pattern ?? 'letter'));
  return pattern === undefined ? lost('its pattern is not known') : caught(pattern, facts, true);
}

export function readPattern(facts: ScorerFacts): ScorerReading {
  const { pattern, ignore_case: ignoreCase = true, match_all: matchAll } = facts.params;
  if (typeof pattern !== 'string') return lost('its pattern is not recorded');
  if (matchAll === true) return lost('that all groups catch a target cannot be asked for');
  const groups = groupsIn(pattern);
  if (groups === 0) return lost('its pattern has no group, so that no answer passes');
  if (groups > 1) facts.changed('regex: only what the first group catches counts');
  return caught(pattern, facts, ignoreCase === true);
}

/** Groups that catch: an open parenthesis that is not escaped, and not followed by `?` unless it names a group. */
const groupsIn = (pattern: string): number =>
  [
    ...pattern
      .replace(/\\./gs, '')
      .replace(/\[[^\]]*\]/g, '')
      .matchAll(/\((?!\?(?!P?<[^=!]))/g),
  ].length;

function caught(pattern: string, { targets, changed }: ScorerFacts, ignoreCase: boolean): ScorerReading {
  const texts = ignoreCase ? [...new Set(targets.flatMap(inCases))] : [...targets];
  if (ignoreCase && targets.some((target) => target.length > 1 && hasLetters(target)))
    changed('regex: a mixture of small letters and capitals is not taken for the target');
  return carried({ regex: pattern, equals: texts, ...(ignoreCase && { ignoreCase }) });
}

/** What is caught is compared as it is written. */
const inCases = (text: string): readonly string[] => [
  text,
  text.toLowerCase(),
  text.toUpperCase(),
  `${text.slice(0, 1).toUpperCase()}${text.slice(1).toLowerCase()}`,
];
const hasLetters = (text: string): boolean => text.toLowerCase() !== text.toUpperCase();

/** The letters of the right choices, as `A` or `AC` or several targets. */
export function readChoice({ targets, changed }: ScorerFacts): ScorerReading {
  const letters = [...new Set([...targets.join('')].filter((one) => /[A-Za-z]/.test(one)))].sort();
  const [only, ...others] = letters.map((letter) => letter.toUpperCase());
  if (only === undefined) return lost('the target names no choice');
  if (others.length === 0) return carried({ regex: CHOICE('[A-Za-z]'), equals: [only, only.toLowerCase()] });
  changed('regex: several choices are right in the order of the alphabet only');
  return carried({ regex: CHOICE([only, ...others].map(escaped).join('[ ,]*')) });
}

const CHOICE = (letters: string): string => `(?i)ANSWER\\s*:\\s*(${letters})\\s*(?:[^\\pL\\pN_, ]|$)`;
