import { isUnsound, type Json, type JsonObject } from '@touchstone/protocol';
import { type Body, type CheckName, fromBody } from '@touchstone/protocol/bodies';
import type { Checker, CheckWork, SchemaCheck, Transcript } from '../../ports/index.js';
import { readingCost, searchCost, sizeOf } from '../cost.js';
import { answerText, jsonOf } from '../output.js';
import { isRefusal } from '../safety/index.js';
import { matchesPattern, matchingCost } from './pattern.js';

/** A criterion whose meaning is decidable. */
export type AnswerCheck = { readonly name: CheckName; readonly args: JsonObject };

/** What checks look at. */
type Answer = Pick<Transcript, 'output' | 'outcome'> & { readonly calledTools: readonly string[] };
/** The same, with its text and its value made once for all checks. */
type AnswerReading = Answer & { readonly text: string; json(): Json | undefined };

type Check = (args: JsonObject, answer: AnswerReading) => boolean;

const listOf = (value: Json | undefined): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string');

function includes(args: JsonObject, answer: AnswerReading): (words: string) => boolean {
  const fold = (text: string): string => (args.ignoreCase === true ? text.toLowerCase() : text);
  const text = fold(answer.text);
  return (words) => text.includes(fold(words));
}

const callsOf = ({ calledTools }: AnswerReading, { tool }: JsonObject): number =>
  calledTools.filter((called) => called === tool).length;

const lengthOf = (text: string, unit: Json | undefined): number =>
  unit === 'words' ? (text.match(/\S+/g) ?? []).length : [...text].length;

const within = (count: number, { min, max }: JsonObject, least: number): boolean =>
  count >= (typeof min === 'number' ? min : least) && (typeof max !== 'number' || count <= max);

const hasRefused = ({ outcome, text }: AnswerReading): boolean => outcome === 'refused' || isRefusal(text);

/** A JSON Schema is checked apart from the others: compiled ones are kept by those who have them. */
const CHECKS: { readonly [name in Exclude<CheckName, 'schema'>]: Check } = {
  json: (_args, answer) => answer.json() !== undefined,
  length: (args, { text }) => within(lengthOf(text, args.unit), args, 0),
  contains: (args, answer) => listOf(args.text).every(includes(args, answer)),
  excludes: (args, answer) => !listOf(args.text).some(includes(args, answer)),
  regex: ({ pattern, ignoreCase, absent }, { text }) =>
    matchesPattern(String(pattern), text, ignoreCase === true) !== (absent === true),
  'tool-called': (args, answer) => within(callsOf(answer, args), args, 1),
  'tool-not-called': (args, answer) => callsOf(answer, args) === 0,
  cites: ({ source }, { text }) => listOf(source).some((one) => text.includes(one)),
  refused: (_args, answer) => hasRefused(answer),
  'not-refused': (_args, answer) => !hasRefused(answer),
};

type CheckQuestion = { readonly checks: readonly AnswerCheck[]; readonly answer: Answer };

/** Whether an answer meets each of some checks, in their order. */
export const ANSWER_CHECKS: CheckWork<CheckQuestion, readonly boolean[]> = {
  name: 'answer-checks',
  run({ checks, answer }) {
    const reading = { ...answer, text: answerText(answer), json: () => jsonIn(answer.output) };
    return checks.map(({ name, args }) => CHECKS[name as keyof typeof CHECKS](args, reading));
  },
};

const jsonIn = (output: Body | undefined): Json | undefined =>
  output === undefined ? undefined : jsonOf(fromBody(output));

function costOf({ checks, answer: { output } }: CheckQuestion): number {
  const size = sizeOf(output);
  const costs = checks.map(({ name, args }) => {
    if (name === 'regex') return matchingCost(String(args.pattern), args.ignoreCase === true, size);
    const words = listOf(args.text ?? args.source);
    return words.reduce((sum, one) => sum + searchCost(size, one.length), readingCost(size));
  });
  return costs.reduce((sum, cost) => sum + cost, readingCost(size));
}

export type CheckParts = { readonly check: Checker; readonly schemaCheck: SchemaCheck };

/** Decides the checks of a task, in their order. */
export async function decideChecks(
  checks: readonly AnswerCheck[],
  transcript: Transcript,
  parts: CheckParts,
  signal?: AbortSignal,
): Promise<readonly boolean[]> {
  const plain = checks.filter(({ name }) => name !== 'schema');
  const calledTools = transcript.toolCalls.map(({ toolId }) => toolId);
  const { outcome, output } = transcript;
  const answer = { outcome, calledTools, ...(output !== undefined && { output }) };
  const question = { checks: plain, answer };
  const decided =
    plain.length === 0 ? [] : await parts.check(ANSWER_CHECKS, question, costOf(question), signal);
  const met = new Map(plain.map((one, at) => [one, decided[at] === true]));
  for (const one of checks)
    if (one.name === 'schema') met.set(one, await fitsSchema(one.args, output, parts, signal));
  return checks.map((one) => met.get(one) === true);
}

async function fitsSchema(
  { schema }: JsonObject,
  output: Body | undefined,
  { schemaCheck }: CheckParts,
  signal?: AbortSignal,
): Promise<boolean> {
  const value = jsonIn(output);
  if (value === undefined || isUnsound(value)) return false;
  return (await schemaCheck(schema as JsonObject, value as never, signal)).length === 0;
}
