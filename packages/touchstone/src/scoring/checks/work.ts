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
import { type ForeignParts, foreignParts } from './foreign-parts.js';
import { type DecidableCheckName, runCheck } from './run-check.js';

export type AnswerCheck = { readonly name: DecidableCheckName; readonly args: JsonObject };

/** What checks look at. */
type AnswerFacts = Omit<Transcript, 'prompt' | 'memory' | 'decided'>;
type CheckQuestion = { readonly checks: readonly AnswerCheck[]; readonly answer: AnswerFacts };
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
  let cost = readingCost(size);
  for (const one of checks) cost += checkCost(one, size, answer, schemas);
  return cost;
}

/** What of a check's cost does not depend on the answer. */
type CheckFacts = ForeignParts & {
  /** The size of what is expected. */
  readonly wanted: number;
  /** How often the same is looked at. */
  readonly tries: number;
};

/** The same checks are made for every task, and parsed criteria are kept. */
const facts = new WeakMap<JsonObject, CheckFacts>();

function factsOf({ name, args }: AnswerCheck): CheckFacts {
  const known = facts.get(args);
  if (known) return known;
  const wanted = sizeOf(args);
  // A list that may come in any order is tried out: one item against each place, again and again.
  const tries = ORDERLESS.has(name) ? 1 + wanted / 10 : 1;
  const fresh = { ...foreignParts(name, args), wanted, tries };
  facts.set(args, fresh);
  return fresh;
}

const ORDERLESS = new Set<DecidableCheckName>([
  'json-subset',
  'tool-called',
  'tool-not-called',
  'tool-sequence',
  'any',
  'all',
]);

function checkCost(one: AnswerCheck, size: number, answer: AnswerFacts, { costUs }: ForeignSchemas): number {
  const { patterns, schemas, wanted, tries } = factsOf(one);
  let cost = readingCost(size) + crossCost(size, wanted);
  for (const pattern of patterns) cost += matchingCost(pattern, one.args.ignoreCase === true, size);
  const { output = null, offered = [] } = answer;
  for (const schema of schemas) cost += size + costUs(schema, output);
  if (one.name === 'tool-valid')
    for (const { inputSchema } of offered) if (inputSchema) cost += size + costUs(inputSchema, output);
  return tries * cost;
}
