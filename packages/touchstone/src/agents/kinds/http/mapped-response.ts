import {
  defined,
  isObject,
  isUnsound,
  type Json,
  MAX_JSON_DEPTH,
  parentOf,
  parseJson,
  readPointer,
} from '@touchstone/protocol';
import { type Body, toBody } from '@touchstone/protocol/bodies';
import type { Answer, Usage } from '../../../ports/index.js';
import type { ResponseMap } from '../../spec/mapping.js';
import { readUsage } from '../../spec/members.js';
import { failed } from '../answers.js';
import { readJsonOrText, readStream, type StreamFormat } from './stream.js';

/** A tool that the service says it has called. */
export type ObservedCall = { readonly toolId: string; readonly inputs: Body; readonly outcome?: Body };

/** What a service answered. What it spent and called is known whatever became of the answer. */
export type MappedAnswer = {
  readonly usage: readonly Usage[];
  readonly calls: readonly ObservedCall[];
  readonly answer: Answer;
};

export type Reading = {
  readonly response: ResponseMap;
  readonly stream?: StreamFormat;
  /** Stands for the provider of a usage, which services do not name, and for a model that they do not name. */
  readonly provider: string;
};

const nothingElse = { usage: [], calls: [] };

/** Reads what a service answered by the map of its configuration. */
export function readMapped(text: string, reading: Reading): MappedAnswer {
  const { response, stream } = reading;
  const documents = stream ? readStream(text, stream, response.event) : [readJsonOrText(text)];
  if (documents.some((document) => isUnsound(document, MAX_JSON_DEPTH)))
    return {
      ...nothingElse,
      answer: failed(
        `The answer nests deeper than ${MAX_JSON_DEPTH} levels, or holds a number that is too large.`,
      ),
    };
  const usage = usageIn(documents, reading);
  if (typeof usage === 'string')
    return { ...nothingElse, answer: failed(`The service reported a usage that cannot be read: ${usage}`) };
  const calls = documents.flatMap((document) => callsIn(document, response.toolCalls));
  const unnamed = calls.find((call) => typeof call === 'string');
  const named = calls.filter((call) => typeof call !== 'string');
  return { usage, calls: named, answer: unnamed ? failed(unnamed) : answerIn(documents, response) };
}

/** The last of the documents has the last word. */
const latest = (documents: readonly Json[], pointer: string | undefined): Json | undefined =>
  pointer === undefined
    ? undefined
    : documents.map((document) => readPointer(document, pointer)).findLast((value) => value !== undefined);

/** Services write "no" in many ways. */
const isSaid = (value: Json | undefined): value is Json =>
  value !== undefined && value !== null && value !== false && value !== '' && value !== 0;

function answerIn(documents: readonly Json[], response: ResponseMap): Answer {
  const error = latest(documents, response.error);
  if (isSaid(error)) return failed(`The service reported an error: ${wordsOf(error)}`);
  const output = outputIn(documents, response);
  if (isSaid(latest(documents, response.refused))) return { kind: 'refused', output: toBody(output ?? null) };
  if (output === undefined) return failed(whereItEnds(documents, response.delta ?? response.output ?? ''));
  return { kind: 'answered', output: toBody(output) };
}

const wordsOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Texts of a stream are joined. Events without such a text tell something else, e.g. that the answer begins. */
function outputIn(documents: readonly Json[], { output = '', delta }: ResponseMap): Json | undefined {
  if (delta === undefined) return latest(documents, output);
  const texts = documents
    .map((document) => readPointer(document, delta))
    .filter((value) => typeof value === 'string');
  return texts.length === 0 ? undefined : texts.join('');
}

/** How far the pointer leads, and which members are there: names, never values. */
function whereItEnds(documents: readonly Json[], pointer: string): string {
  const document = documents.at(-1);
  if (document === undefined) return 'The answer holds no events.';
  let reached = parentOf(pointer);
  while (reached !== '' && readPointer(document, reached) === undefined) reached = parentOf(reached);
  return `The answer has nothing at ${pointer || 'all'}; ${reached || 'it'} ${contentsOf(readPointer(document, reached))}.`;
}

const MOST_NAMES = 20;

function contentsOf(value: Json | undefined): string {
  if (Array.isArray(value)) return `is a list of ${value.length}`;
  if (!isObject(value)) return `is ${value === null ? 'null' : `a ${typeof value}`}`;
  const names = Object.keys(value);
  return names.length === 0 ? 'is empty' : `has: ${names.slice(0, MOST_NAMES).join(', ')}`;
}

/** A service that reports nothing has no usage; one that reports half of it cannot be believed. */
function usageIn(documents: readonly Json[], { response, provider }: Reading): readonly Usage[] | string {
  const { usage: map } = response;
  if (!map) return [];
  const inputTokens = latest(documents, map.inputTokens) ?? null;
  const outputTokens = latest(documents, map.outputTokens) ?? null;
  if (inputTokens === null && outputTokens === null) return [];
  const model = latest(documents, map.model) ?? provider;
  const read = readUsage({ provider, model, inputTokens, outputTokens });
  return typeof read === 'string' ? read : [read];
}

/** The calls of one document; a text says what is missing in one of them. */
function callsIn(document: Json, map: ResponseMap['toolCalls']): readonly (ObservedCall | string)[] {
  const entries = map && readPointer(document, map.list);
  if (!Array.isArray(entries)) return [];
  return entries.map((entry: Json) => {
    const name = readPointer(entry, map?.tool ?? '');
    if (typeof name !== 'string' || !/^\S{1,256}$/.test(name))
      return `The answer has a tool call without the name of a tool at ${map?.tool}.`;
    const outcome = map?.outcome === undefined ? undefined : readPointer(entry, map.outcome);
    return defined({
      toolId: name.includes(':') ? name : `local:${name}`,
      inputs: toBody(inputsIn(entry, map?.inputs)),
      outcome: outcome === undefined ? undefined : toBody(outcome),
    });
  });
}

/** Chat services write the arguments of a call as JSON in a text. */
function inputsIn(entry: Json, pointer: string | undefined): Json {
  const inputs = (pointer === undefined ? undefined : readPointer(entry, pointer)) ?? null;
  const parsed = typeof inputs === 'string' ? parseJson(inputs) : undefined;
  return isObject(parsed) && !isUnsound(parsed, MAX_JSON_DEPTH) ? parsed : inputs;
}
