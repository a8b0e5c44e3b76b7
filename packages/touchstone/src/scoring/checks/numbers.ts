import type { JsonObject } from '@touchstone/protocol';
import { boundsOf, type Check, type CheckContext, isWithin, quoted, textIn } from './context.js';

// A sign counts unless something stands before it ("3-5" holds 3 and 5). Letters before a digit make it a name ("B12"), a
// per cent sign behind it makes it another number. The digits are caught in a look-ahead, so that no part of them is tried
// when all of them are no number: "1,250%" does not hold 1.
const NUMBER =
  /(?<![\p{L}\p{N}_.,])(?:[-\u2212](?=[$€£]?[\d.]))?[$€£]?(?=((?:\d[\d,_]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?))\1(?![\d%]|\.\d)/gu;

/** The numbers in a text, in its order. Currency signs and separators of thousands are dropped. */
export function numbersIn(text: string): readonly number[] {
  return [...text.matchAll(NUMBER)]
    .map(([match]) => Number(match.replace(/[$€£,_]/g, '').replace('\u2212', '-')))
    .filter(Number.isFinite);
}

export const number: Check = (context) => {
  const { args } = context;
  const numbers = candidates(context);
  const met = numbers.some((one) => fits(one, args));
  if (met) return { met };
  const found = numbers.length === 0 ? 'no number' : numbers.slice(0, 5).join(', ');
  return { met, reason: `wanted ${wantedNumber(args)}; found ${found}${ambiguity(context)}` };
};

function candidates({ args, value }: CheckContext): readonly number[] {
  if (typeof value === 'number') return [value];
  const numbers = numbersIn(textIn({ value }));
  const { pick = 'last' } = args;
  if (pick === 'any') return numbers;
  if (pick === 'only') return numbers.length === 1 ? numbers : [];
  return pick === 'first' ? numbers.slice(0, 1) : numbers.slice(-1);
}

function ambiguity({ args, value }: CheckContext): string {
  const count = args.pick === 'only' ? numbersIn(textIn({ value })).length : 0;
  return count > 1 ? ` (${count} numbers in the text)` : '';
}

/** A difference by rounding is none: 0.1 + 0.2 is 0.3. */
const ROUNDING = 1e-9;

function fits(one: number, args: JsonObject): boolean {
  const { value, by, percent } = args;
  if (typeof value !== 'number') return isWithin(one, args, Number.NEGATIVE_INFINITY);
  const allowed = typeof by === 'number' ? by : (Math.abs(value) * Number(percent)) / 100;
  return Math.abs(one - value) <= allowed + ROUNDING * Math.max(1, Math.abs(value));
}

function wantedNumber(args: JsonObject): string {
  if (args.value === undefined) return boundsOf(args);
  const tolerance = args.by === undefined ? `${args.percent} %` : String(args.by);
  return `${quoted(args.value)}${tolerance === '0' || tolerance === '0 %' ? '' : ` within ${tolerance}`}`;
}
