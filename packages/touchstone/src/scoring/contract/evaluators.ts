import { type Evaluator, isHostError, isUnsound, type Json, type JsonObject } from '@touchstone/protocol';
import { type ContractTask, toBody } from '@touchstone/protocol/bodies';
import type { SchemaFit, Transcript } from '../../ports/index.js';
import { scoreGolden } from '../golden.js';
import { jsonOf, textOf, unfenced } from '../output.js';
import type { AppliedCriterion } from './applied.js';
import type { Measurement } from './decisions.js';
import { containsFolded, lengthIn, sameFolded, wordOverlap } from './words.js';

/** The evaluators that need no model. */
export type DecidableEvaluator = Exclude<Evaluator, 'similarity' | 'judge'>;

export type EvaluatorParts = {
  readonly schemaCheck: SchemaFit;
  /** What the agent promises to return; a row's own schema goes before it. */
  readonly returnSchema?: JsonObject;
  /** The most milliseconds, where a criterion names none of its own. */
  readonly expectedLatencyMs?: number;
};

/** An answer, and what it is compared with. */
type EvaluatorInput = Pick<AppliedCriterion, 'criterion' | 'task'> & {
  readonly transcript: Pick<Transcript, 'toolCalls' | 'latencyMs'>;
  readonly output: Json;
};

type Evaluate = (input: EvaluatorInput, parts: EvaluatorParts) => Measurement;

const EVALUATE: { readonly [E in DecidableEvaluator]: Evaluate } = {
  'json-validity': ({ output, criterion }) =>
    yesOrNo(jsonOf(criterion.fenceTolerant ? unfenced(output) : output) !== undefined),
  'schema-validity': schemaValidity,
  'reference-match': ({ output, task }) => {
    const strategy = task.match;
    return againstAny(task, (value) =>
      scoreGolden({ strategy: strategy ?? defaultMatch(value), value: toBody(value) }, toBody(output)),
    );
  },
  'normalized-match': ({ output, task }) => {
    const same = task.match === 'contains' ? containsFolded : sameFolded;
    const texts = [output, soundJson(output) ?? output].map(textOf);
    return againstAny(task, (value) => (texts.some((text) => same(text, textOf(value))) ? 1 : 0));
  },
  contains: ({ output, task }) =>
    againstAny(task, (value) => scoreGolden({ strategy: 'contains', value: toBody(value) }, toBody(output))),
  'forbidden-content': forbiddenContent,
  'non-empty': ({ output }) => yesOrNo(!isBlank(output)),
  'token-f1': ({ output, task }) => againstAny(task, (value) => wordOverlap(textOf(output), textOf(value))),
  conciseness,
  latency,
  'tool-usage': toolUsage,
};

/** How far an answer meets a criterion that is decidable. */
export const evaluate = (
  evaluator: DecidableEvaluator,
  input: EvaluatorInput,
  parts: EvaluatorParts,
): Measurement => EVALUATE[evaluator](input, parts);

export const isDecidable = (evaluator: Evaluator): evaluator is DecidableEvaluator =>
  Object.hasOwn(EVALUATE, evaluator);

/** A list is a choice of acceptable answers; undefined when the row has none. */
export function referencesOf({ reference }: ContractTask): readonly Json[] | undefined {
  if (reference === undefined) return undefined;
  return Array.isArray(reference) ? (reference as readonly Json[]) : [reference];
}

/** A criterion without a reference to compare with is not met. */
export const NO_REFERENCE: Measurement = {
  degree: 0,
  reason: 'There is no reference to compare the answer with.',
};

const yesOrNo = (met: boolean): Measurement => ({ degree: met ? 1 : 0 });

function againstAny(task: ContractTask, degreeFor: (reference: Json) => number): Measurement {
  const references = referencesOf(task);
  if (!references) return NO_REFERENCE;
  return { degree: references.reduce<number>((best, one) => Math.max(best, degreeFor(one)), 0) };
}

const defaultMatch = (reference: Json) => (typeof reference === 'string' ? 'exact' : 'json-match');

/** The output as JSON, unless it nests too deep. */
function soundJson(output: Json): Json | undefined {
  const value = jsonOf(output);
  return isUnsound(value) ? undefined : value;
}

function schemaValidity(
  { output, task }: EvaluatorInput,
  { schemaCheck, returnSchema }: EvaluatorParts,
): Measurement {
  const schema = task.schema ?? returnSchema;
  if (!schema) return { degree: 0, reason: 'There is no schema to check the answer against.' };
  const value = soundJson(output);
  if (value === undefined) return { degree: 0, reason: 'The answer is not JSON.' };
  const issue = firstIssue(schemaCheck, schema, value);
  return issue === undefined ? { degree: 1 } : { degree: 0, reason: issue };
}

/** A schema that cannot be used throws. No answer fits it; one bad row must not end the run. */
function firstIssue(schemaCheck: SchemaFit, schema: JsonObject, value: Json): string | undefined {
  try {
    const [issue] = schemaCheck(schema, toBody(value));
    return issue && `At ${issue.pointer || 'the root'}: ${issue.message}.`;
  } catch (error) {
    if (isHostError(error)) return 'The schema cannot be used.';
    throw error;
  }
}

/** The quotation marks and line breaks of a text are escaped in its JSON, so texts inside a value are looked at as well. */
function forbiddenContent({ output, task }: EvaluatorInput): Measurement {
  const texts = [textOf(output), ...textsIn(soundJson(output) ?? output)].map(foldCase);
  const forbidden = (task.forbidden ?? []).map(foldCase).filter((words) => words !== '');
  return yesOrNo(!forbidden.some((words) => texts.some((text) => text.includes(words))));
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(textsIn);
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member as Json)]);
}

/** Upper case last: lower case depends on what follows a letter (Greek sigma), so a part could miss its whole. */
const foldCase = (text: string): string => text.normalize('NFC').toLowerCase().toUpperCase();

function isBlank(output: Json): boolean {
  if (typeof output === 'string') return !/[^\s\p{Cc}\p{Cf}]/u.test(output);
  return output === null || (typeof output === 'object' && Object.keys(output).length === 0);
}

/** Binary by the bound itself; graded by how many times too long the answer is. */
function conciseness({ criterion, output }: EvaluatorInput): Measurement {
  const { bound } = criterion;
  if (!bound) return { degree: 0, reason: 'The contract names no bound on the length.' };
  const { most, unit, inclusive } = bound;
  const length = lengthIn(unit, textOf(output));
  const reason = `The answer has ${length} ${unit}; expected are ${inclusive ? 'at most' : 'fewer than'} ${most}.`;
  if (criterion.class === 'graded') return { degree: length === 0 ? 1 : Math.min(1, most / length), reason };
  return { degree: length < most || (inclusive && length === most) ? 1 : 0, reason };
}

function latency(
  { criterion, transcript }: EvaluatorInput,
  { expectedLatencyMs }: EvaluatorParts,
): Measurement {
  const most = criterion.latencyMs ?? expectedLatencyMs;
  const { latencyMs } = transcript;
  if (most === undefined) return { degree: 0, reason: 'The contract names no bound on the latency.' };
  if (latencyMs === undefined) return { degree: 0, reason: 'The latency of the answer was not measured.' };
  return { degree: latencyMs <= most ? 1 : 0, reason: `The answer took ${latencyMs} ms of ${most}.` };
}

/** A call that the allowlist refused has not been made. */
function toolUsage({ task, transcript }: EvaluatorInput): Measurement {
  const called = new Set<string>(
    transcript.toolCalls.flatMap(({ toolId, status }) => (status === 'forbidden' ? [] : [toolId])),
  );
  const missing = (task.tools ?? []).filter((tool) => !called.has(tool));
  return missing.length === 0 ? { degree: 1 } : { degree: 0, reason: `Not called: ${missing.join(', ')}.` };
}
