import type { JsonObject } from '@touchstone/protocol';
import type {
  Checker,
  CheckWork,
  ForeignSchemas,
  MaybePromise,
  SchemaFit,
  Transcript,
} from '../../ports/index.js';
import { crossCost, readingCost, sizeOf } from '../cost.js';
import { matchingCost, searchPattern } from '../rubric/pattern.js';
import { isRefusal } from '../safety/index.js';
import type { CheckResult } from './context.js';
import { foreignParts } from './foreign-parts.js';
import { type DecidableCheckName, runCheck } from './run-check.js';

export type AnswerCheck = { readonly name: DecidableCheckName; readonly args: JsonObject };

/** What checks look at. */
type CheckedAnswer = Omit<Transcript, 'prompt' | 'memory' | 'decided'>;
type CheckQuestion = { readonly checks: readonly AnswerCheck[]; readonly answer: CheckedAnswer };
type CheckAnswers = readonly CheckResult[];

/** Decides the checks of a task, in their order. */
export function answerChecks(schemaCheck: SchemaFit): CheckWork<CheckQuestion, CheckAnswers> {
  const parts = { schemaCheck, search: searchPattern, isRefusal };
  return {
    name: 'answer-checks',
    run: ({ checks, answer }) => checks.map(({ name, args }) => runCheck(name, args, answer, parts)),
  };
}

export type AnswerChecks = (
  checks: readonly AnswerCheck[],
  transcript: Transcript,
  signal: AbortSignal,
) => MaybePromise<CheckAnswers>;

export function createAnswerChecks(check: Checker, schemas: ForeignSchemas): AnswerChecks {
  const work = answerChecks(schemas.fit);
  return (checks, { prompt: _prompt, memory: _memory, decided: _decided, ...answer }, signal) => {
    const question = { checks, answer };
    return checks.length === 0 ? [] : check(work, question, costOf(question, schemas), signal);
  };
}

function costOf({ checks, answer }: CheckQuestion, schemas: ForeignSchemas): number {
  const { output, toolCalls, offered } = answer;
  const size = sizeOf(output) + (toolCalls.length === 0 ? 0 : sizeOf(toolCalls) + sizeOf(offered));
  return checks.reduce((sum, one) => sum + checkCost(one, size, answer, schemas), readingCost(size));
}

/** A list that may come in any order is tried out: one item against each place, again and again. */
const ORDERLESS = new Set<DecidableCheckName>([
  'json-subset',
  'tool-called',
  'tool-not-called',
  'tool-sequence',
]);

function checkCost(
  { name, args }: AnswerCheck,
  size: number,
  { output, offered = [] }: CheckedAnswer,
  { costUs }: ForeignSchemas,
): number {
  const wanted = sizeOf(args);
  const { patterns, schemas } = foreignParts(name, args);
  const tries = ORDERLESS.has(name) || name === 'any' || name === 'all' ? 1 + wanted / 10 : 1;
  const inputSchemas =
    name === 'tool-valid' ? offered.flatMap(({ inputSchema }) => (inputSchema ? [inputSchema] : [])) : [];
  const foreign = [
    ...patterns.map((pattern) => matchingCost(pattern, args.ignoreCase === true, size)),
    ...[...schemas, ...inputSchemas].map(
      (schema) => size + costUs(schema, output === undefined ? null : output),
    ),
  ];
  return tries * foreign.reduce((sum, cost) => sum + cost, readingCost(size) + crossCost(size, wanted));
}
