import { type Json, jsonEqual } from '@touchstone/protocol';
import { containsFolded, lengthIn, sameFolded } from '../contract/words.js';
import { jsonOf, textOf } from '../output.js';
import {
  boundsOf,
  type Check,
  type CheckContext,
  type CheckResult,
  foldOf,
  isWithin,
  quoted,
  textIn,
  textsOf,
  wanted,
} from './context.js';

export const contains: Check = (context) => {
  const { args } = context;
  const texts = textsOf(args.text);
  const holds = holdsText(context);
  const missing = texts.filter((one) => !holds(one));
  const met = args.any === true ? missing.length < texts.length : missing.length === 0;
  if (met) return { met };
  return { met, reason: wanted(missing, args, args.any === true ? 'or' : 'and') };
};

function holdsText(context: CheckContext): (part: string) => boolean {
  const { args } = context;
  const fold = foldOf({ ignoreCase: args.ignoreCase ?? false });
  const text = fold(textIn(context));
  const holds =
    args.normalize === true ? containsFolded : (whole: string, part: string) => whole.includes(part);
  return (part) => {
    const folded = fold(part);
    return holds(text, folded) || (args.either === true && text.trim() !== '' && holds(folded, text));
  };
}

export const excludes: Check = (context) => {
  const holds = holdsText(context);
  const found = textsOf(context.args.text).filter(holds);
  return found.length === 0
    ? { met: true }
    : { met: false, reason: `found ${found.map(quoted).join(' and ')}` };
};

export const cites: Check = (context) => {
  const text = textIn(context);
  const sources = textsOf(context.args.source);
  const met = sources.some((source) => text.includes(source));
  return met ? { met } : { met, reason: wanted(sources, {}, 'or') };
};

export const equals: Check = (context) => {
  const { args, value } = context;
  const choices = (args.anyOf ?? [args.value]) as readonly Json[];
  const met = value !== undefined && choices.some((choice) => isEqual(choice, context));
  return met ? { met } : { met, reason: `${wanted(choices, args, 'or')}; found ${quoted(value)}` };
};

/** A text is compared as text, after the foldings that were asked for; any other value as JSON. */
function isEqual(expected: Json, context: CheckContext): boolean {
  const { args, value = null } = context;
  if (typeof expected !== 'string') {
    const actual = jsonOf(value);
    return jsonEqual(value, expected) || (actual !== undefined && jsonEqual(actual, expected));
  }
  const fold = foldOf(args);
  const [actual, text] = [fold(textOf(value)), fold(expected)];
  return args.normalize === true ? sameFolded(actual, text) : actual === text;
}

const OUTER = /[\s\p{P}]/u;

/** Without white space and punctuation at both ends. From each end by itself: a pattern would try every run inside, too. */
function stripped(text: string): string {
  const characters = [...text];
  const first = characters.findIndex((character) => !OUTER.test(character));
  const last = characters.findLastIndex((character) => !OUTER.test(character));
  return first < 0 ? '' : characters.slice(first, last + 1).join('');
}

const edge =
  (isAtEdge: (text: string, part: string) => boolean): Check =>
  (context) => {
    const { args } = context;
    const fold = foldOf(args);
    const strip = (text: string): string => (args.ignorePunctuation === true ? stripped(text) : text);
    const text = strip(fold(textIn(context)));
    const parts = textsOf(args.text);
    const met = parts.map((part) => strip(fold(part))).some((part) => part !== '' && isAtEdge(text, part));
    return met ? { met } : { met, reason: wanted(parts, args, 'or') };
  };

export const startsWith = edge((text, part) => text.startsWith(part));
export const endsWith = edge((text, part) => text.endsWith(part));

export const length: Check = (context) => {
  const { args } = context;
  const { unit = 'characters' } = args;
  const count = lengthOf(textIn(context), String(unit));
  const met = isWithin(count, args);
  return met ? { met } : { met, reason: `${count} ${unit}; wanted ${boundsOf(args)}` };
};

// Characters and words are counted as they always were in checks; sentences and lines as in contracts.
function lengthOf(text: string, unit: string): number {
  if (unit === 'words') return (text.match(/\S+/g) ?? []).length;
  return lengthIn(unit as 'characters' | 'sentences' | 'lines', text);
}

const hasRefused = ({ transcript, parts, value }: CheckContext): boolean =>
  transcript.outcome === 'refused' || parts.isRefusal(textIn({ value }));

export const refused: Check = (context): CheckResult =>
  hasRefused(context) ? { met: true } : { met: false, reason: 'the agent did not refuse' };
export const notRefused: Check = (context): CheckResult =>
  hasRefused(context) ? { met: false, reason: 'the agent refused' } : { met: true };

export const regex: Check = (context) => {
  const { args, parts } = context;
  const { pattern, ignoreCase, absent, equals: wantedTexts, group, min, max } = args;
  const look = parts.search(String(pattern), textIn(context), {
    ignoreCase: ignoreCase === true,
    ...(wantedTexts !== undefined && { group: typeof group === 'number' ? group : ('first' as const) }),
    limit: countLimit(args),
  });
  if (absent === true) return met(look.count === 0, 'found a match');
  if (wantedTexts !== undefined) {
    const texts = textsOf(wantedTexts);
    const isCaught = look.caught !== undefined && texts.includes(look.caught);
    return met(isCaught, `${wanted(texts, {}, 'or')}; found ${quoted(look.caught)}`);
  }
  if (min === undefined && max === undefined) return met(look.count > 0, `no match of ${quoted(pattern)}`);
  return met(isWithin(look.count, args), `${look.count} matches; wanted ${boundsOf(args)}`);
};

const met = (isMet: boolean, reason: string): CheckResult => (isMet ? { met: true } : { met: false, reason });

/** No more matches are looked for than it takes to decide. */
function countLimit({ min, max }: CheckContext['args']): number {
  if (typeof max === 'number') return max + 1;
  return typeof min === 'number' ? Math.max(1, min) : 1;
}
