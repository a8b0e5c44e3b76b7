import type { JsonObject } from '@touchstone/protocol';
import type { Expectation, ItemCollector, SourcePointer } from '../imported.js';
import { lookUp, wordOf } from '../nodes.js';
import { readAnswerLine, readChoice, readPattern } from './answer-patterns.js';
import { carried, escaped, lost, type ScorerFacts, type ScorerReading } from './scorer-reading.js';

/** A scorer of a log, or the one that the command line names. */
export type Scorer = { readonly name: string; readonly params: JsonObject; readonly at: SourcePointer };

/** What a scorer becomes for one sample; undefined when it is lost, which the report then says. */
export function readScorer(
  { name, params, at }: Scorer,
  { targets, at: target }: { readonly targets: readonly string[]; readonly at: SourcePointer },
  items: ItemCollector,
): Expectation | undefined {
  const read = lookUp(SCORERS, name.replace(/^inspect_ai\//, ''));
  if (!read) {
    items.lost(at, `scorer ${name}: no check does the same`);
    return undefined;
  }
  const reading = read({
    targets,
    params,
    changed: (became) => items.changed(at, `scorer ${name}`, became),
    note: (what) => items.note(at, `scorer ${name}: ${what}`),
  });
  if ('entry' in reading) return reading.entry;
  items.lost(target, `scorer ${name}: ${reading.why}`);
  return undefined;
}

const SCORERS: { readonly [name: string]: (facts: ScorerFacts) => ScorerReading } = {
  match: readMatch,
  includes: readIncludes,
  pattern: readPattern,
  answer: readAnswerLine,
  choice: readChoice,
  exact: readExact,
  f1: readF1,
  model_graded_qa: (facts) => readGraded(facts, 'The answer fulfils what the reference asks for.'),
  model_graded_fact: (facts) => readGraded(facts, 'The answer contains the facts of the reference.'),
};

/** Scorers that a name is enough for. */
export const NAMED_SCORERS = Object.keys(SCORERS).filter((name) => name !== 'pattern' && name !== 'answer');

const OTHER_PUNCTUATION =
  'punctuation around the answer that is not of ASCII, such as “”, is left out here as well';
const NO_TARGET = 'the target is empty, and every answer passes';
const PUNCTUATION = /^[\s!-/:-@[-`{-~]+|[\s!-/:-@[-`{-~]+$/g;
const core = (text: string): string => text.replace(PUNCTUATION, '');
const isEmpty = (targets: readonly string[]): boolean => targets.some((target) => core(target) === '');

const LOCATIONS = ['begin', 'end', 'any', 'exact'];

function readMatch(facts: ScorerFacts): ScorerReading {
  const { targets, params } = facts;
  const { location = 'end', ignore_case: ignoreCase = true, numeric = false } = params;
  if (isEmpty(targets)) return lost(NO_TARGET);
  if (!LOCATIONS.includes(wordOf(location))) return lost('its location is not known');
  if (numeric === true && targets.every(isNumber)) return readNumeric(facts, wordOf(location));
  const folding = { ignoreCase: ignoreCase === true };
  const edges = { ...folding, trim: true, ignorePunctuation: true };
  if (location === 'begin' || location === 'end') facts.note(OTHER_PUNCTUATION);
  if (location === 'begin') return carried({ 'starts-with': [...targets], ...edges });
  if (location === 'any') return carried({ contains: targets.map(core), any: true, ...folding });
  if (location === 'exact') return carried({ regex: wholePattern(targets), ...folding });
  return carried({ 'ends-with': [...targets], ...edges });
}

/** The whole text but for white space and punctuation around it, which Inspect takes away. */
const wholePattern = (targets: readonly string[]): string =>
  `^[\\s!-/:-@\\[-\`{-~]*(?:${targets.map((target) => escaped(core(target))).join('|')})[\\s!-/:-@\\[-\`{-~]*$`;

const numberIn = (target: string): number => Number(target.replace(/[$,£€*_]/g, ''));
const isNumber = (target: string): boolean => Number.isFinite(numberIn(target)) && target.trim() !== '';
const PICKS: { readonly [location: string]: string } = { begin: 'first', any: 'any', exact: 'only' };

function readNumeric({ targets, changed }: ScorerFacts, location: string): ScorerReading {
  changed('number: numbers inside of words count, and five digits are not enough to be equal');
  const checks = targets.map((target) => ({
    number: numberIn(target),
    by: 0,
    pick: lookUp(PICKS, location) ?? 'last',
  }));
  const [only, ...others] = checks;
  return carried(only && others.length === 0 ? only : { any: checks });
}

function readIncludes({ targets, params }: ScorerFacts): ScorerReading {
  if (targets.includes('')) return lost(NO_TARGET);
  return carried({ contains: [...targets], any: true, ignoreCase: params.ignore_case !== false });
}

function readExact({ targets, changed }: ScorerFacts): ScorerReading {
  changed('equals with normalize: words are folded as everywhere here, and their order counts');
  return carried({ equals: { anyOf: [...targets], normalize: true } });
}

/** Inspect has no bar for it: the degree counts. */
function readF1({ targets, changed }: ScorerFacts): ScorerReading {
  changed('overlap by degree: words are folded as everywhere here, and count as often as they occur');
  return carried({ overlap: [...targets], min: 0.5, graded: true });
}

function readGraded({ targets, changed }: ScorerFacts, says: string): ScorerReading {
  changed("judge: this host's judge and its question");
  return carried({ judge: { reference: targets.join('\n') }, says });
}
