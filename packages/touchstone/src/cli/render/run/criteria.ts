import { percent } from '@touchstone/sdk/view';
import type { CriterionBody } from '../../verbs/run/result.js';
import { type Look, padEnd, printable, truncate, wrap, wrapWhole } from '../text.js';

const INDENT = '      ';
const WEIGHT = 6;

type Facts = { readonly met?: boolean; readonly weight: number; readonly agreement?: number };

const markOf = (met: boolean | undefined, { ink }: Look): string =>
  met === undefined ? '·' : met ? ink.green('✓') : ink.red('✗');

const agreed = ({ agreement }: Facts): string =>
  agreement === undefined ? '' : `${percent(agreement)} of votes`;

/** What became of each criterion, by its place: its sentence is content and is not here. */
export const criterionFacts = (criteria: readonly Facts[], look: Look): string[] =>
  criteria.map((one, at) => {
    const words = [`criterion ${at + 1}`, `weight ${one.weight}`, agreed(one)];
    const line = words.filter((word) => word !== '').join(' · ');
    return `${INDENT}${markOf(one.met, look)} ${look.ink.dim(line)}`;
  });

/** Sentence by sentence, with the judge's reason under what it did not find met. */
export const criterionLines = (criteria: readonly CriterionBody[], look: Look): string[] =>
  criteria.flatMap((one) => {
    const room = Math.max(40, look.width - INDENT.length - 2 - WEIGHT);
    const weight = look.ink.dim(padEnd(String(Number(one.weight.toPrecision(3))), WEIGHT));
    const votes = agreed(one) === '' ? '' : ` (${agreed(one)})`;
    const [sentence = '', ...more] = look.uncut
      ? wrapWhole(printable(one.text), room - votes.length)
      : [truncate(printable(one.text), room - votes.length)];
    const head = `${INDENT}${markOf(one.met, look)} ${weight}${sentence}${look.ink.dim(votes)}`;
    const lay = look.uncut ? wrapWhole : wrap;
    const why = one.met === false && one.reason ? lay(printable(one.reason), room).map(look.ink.dim) : [];
    return [head, ...[...more, ...why].map((line) => `${INDENT}${' '.repeat(2 + WEIGHT)}${line}`)];
  });
