import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import type { CheckName } from '@touchstone/protocol/bodies';

const list = (value: Json | undefined, joint: string): string =>
  (Array.isArray(value) ? (value as readonly Json[]) : [value ?? null])
    .map((one) => JSON.stringify(one))
    .join(` ${joint} `);
const anyCase = ({ ignoreCase }: JsonObject): string => (ignoreCase === true ? ', in any case' : '');
const words = (value: Json | undefined): string => JSON.stringify(value ?? null);

function bounds({ min, max }: JsonObject, fallback = ''): string {
  const low = min === undefined ? [] : [`at least ${min}`];
  const high = max === undefined ? [] : [`at most ${max}`];
  return [...low, ...high].join(' and ') || fallback;
}

const withInputs = ({ inputs }: JsonObject): string =>
  inputs === undefined ? '' : ` with inputs that fit ${words(inputs)}`;
const stepWords = (step: Json): string => (isObject(step) ? `${step.tool}${withInputs(step)}` : String(step));

/** What a check says, in one English sentence: for people, and for judges of hosts that do not know the check. */
const SENTENCES: { readonly [name in CheckName]: (args: JsonObject) => string } = {
  contains: (args) =>
    `The answer contains ${list(args.text, args.any === true ? 'or' : 'and')}${anyCase(args)}.`,
  excludes: (args) => `The answer does not contain ${list(args.text, 'or')}${anyCase(args)}.`,
  equals: (args) => `The answer is ${list(args.anyOf ?? [args.value ?? null], 'or')}${anyCase(args)}.`,
  'starts-with': (args) => `The answer begins with ${list(args.text, 'or')}${anyCase(args)}.`,
  'ends-with': (args) => `The answer ends with ${list(args.text, 'or')}${anyCase(args)}.`,
  regex: (args) =>
    args.absent === true
      ? `The answer does not match the pattern ${words(args.pattern)}.`
      : `The answer matches the pattern ${words(args.pattern)}${regexDetail(args)}.`,
  length: (args) => `The answer has ${bounds(args)} ${args.unit ?? 'characters'}.`,
  number: (args) =>
    args.value === undefined
      ? `The number in the answer is ${bounds(args)}.`
      : `The number in the answer is ${args.value}${tolerance(args)}.`,
  distance: (args) =>
    args.max === undefined
      ? `The answer is spelt like ${list(args.text, 'or')}, with a similarity of at least ${args.min}.`
      : `The answer differs from ${list(args.text, 'or')} by at most ${args.max} edits.`,
  overlap: (args) =>
    `The words of the answer are those of ${list(args.text, 'or')}, with a ${args.metric ?? 'f1'} of at least ${args.min}.`,
  cites: (args) => `The answer cites ${list(args.source, 'or')}.`,
  refused: () => 'The agent refuses.',
  'not-refused': () => 'The agent does not refuse.',
  format: (args) => `The answer is in the format ${args.is}.`,
  json: () => 'The answer is JSON.',
  schema: () => 'The answer fits a JSON Schema.',
  'contains-json': ({ schema }) =>
    schema === undefined ? 'The answer contains JSON.' : 'The answer contains JSON that fits a JSON Schema.',
  'json-subset': (args) => `The answer holds what fits ${words(args.value)}.`,
  latency: (args) => `The answer takes at most ${args.maxMs} ms.`,
  cost: (args) => `The answer costs at most ${args.maxUsd} US dollars.`,
  tokens: (args) => `The answer takes at most ${args.max} ${args.of ?? 'total'} tokens.`,
  'tool-called': (args) =>
    `The agent calls ${args.tool}${withInputs(args)}, ${bounds(args, 'at least 1')} times.`,
  'tool-not-called': (args) => `The agent does not call ${list(args.tool, 'or')}${withInputs(args)}.`,
  'tool-sequence': (args) =>
    `The agent calls ${(args.steps as readonly Json[]).map(stepWords).join(', then ')} (${args.order ?? 'in-order'}).`,
  'tool-no-repeat': ({ tool = '*' }) =>
    `The agent never calls ${tool === '*' ? 'a tool' : tool} again with the same inputs.`,
  'tool-valid': () => 'The agent calls tools only as they may be called.',
  turns: (args) => `The conversation has ${bounds(args)} turns.`,
  any: (args) => `At least one of these holds: ${partWords(args)}`,
  all: (args) =>
    args.min === undefined
      ? `All of these hold: ${partWords(args)}`
      : `At least the share ${args.min} of these holds: ${partWords(args)}`,
  scorer: (args) => `The scorer ${args.name} gives at least ${args.min ?? 0.5}.`,
  similar: (args) => `The answer means the same as ${list(args.text, 'or')}.`,
  judge: () => '',
};

const regexDetail = (args: JsonObject): string => {
  if (args.equals !== undefined) return ` and catches ${list(args.equals, 'or')}`;
  const often = bounds(args);
  return often === '' ? '' : ` ${often} times`;
};

const tolerance = ({ by, percent }: JsonObject): string => {
  if (by === 0 || percent === 0) return '';
  return by === undefined ? `, within ${percent} %` : `, within ${by}`;
};

const partWords = ({ of }: JsonObject): string =>
  (of as readonly JsonObject[])
    .map(({ weight: _, ...rest }) => {
      const [[name, args] = ['json', {}]] = Object.entries(rest);
      return sentenceFor(name as CheckName, args as JsonObject);
    })
    .join(' ');

/** The sentence of a check whose author wrote none. */
export function sentenceFor(name: CheckName, args: JsonObject): string {
  const sentence = SENTENCES[name](args);
  const at = typeof args.at === 'string' && args.at !== '' ? `At ${args.at}: ` : '';
  return args.not === true ? `${at}It is not so that: ${sentence}` : `${at}${sentence}`;
}
