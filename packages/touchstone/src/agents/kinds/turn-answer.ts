import { type Issue, isUnsound, type Json, MAX_JSON_DEPTH } from '@touchstone/protocol';
import { type Body, toBody } from '@touchstone/protocol/bodies';
import type { Usage } from '../../ports/index.js';
import { ObjectReader } from '../spec/object-reader.js';
import { readUsage } from '../spec/usage-reader.js';

export type ForeignCall = { readonly callId: string; readonly toolId: string; readonly inputs: Body };

/** What an agent said in one turn. `usage` has been paid whatever the rest looks like, so it is read in any case. */
export type Turn = { readonly usage: readonly Usage[]; readonly reasoning?: string } & (
  | { readonly kind: 'calls'; readonly calls: readonly ForeignCall[]; readonly state?: Json }
  | {
      readonly kind: 'output';
      readonly output: Body;
      readonly confidence?: number;
      readonly refused: boolean;
    }
  | { readonly kind: 'malformed'; readonly reason: string }
);

/** Reads an answer of the turn protocol. Says which member is wrong and what it should be, never what it held. */
export function parseTurn(text: string): Turn {
  const value = parseJson(text);
  if (value === undefined) return malformed('it is not JSON');
  if (isUnsound(value, MAX_JSON_DEPTH))
    return malformed(`it nests deeper than ${MAX_JSON_DEPTH} levels, or holds a number that is too large`);
  const usageIssues: Issue[] = [];
  const issues: Issue[] = [];
  const usage = readUsages(ObjectReader.of(value, '', usageIssues));
  const paid = usageIssues.length === 0 ? usage : [];
  const turn = readTurn(ObjectReader.of(value, '', issues));
  const [issue] = [...issues, ...usageIssues];
  if (issue) return { ...malformed(`${issue.pointer || '/'}: ${issue.message}`), usage: paid };
  return { ...turn, usage: paid };
}

const malformed = (problem: string): Turn => ({
  kind: 'malformed',
  reason: `The agent's answer does not follow touchstone.agent/1: ${problem}`,
  usage: [],
});

const readUsages = (reader: ObjectReader): readonly Usage[] =>
  reader.list('usage')?.map((item, index) => readUsage(item, `/usage/${index}`, reader.issues)) ?? [];

type TurnBody = Turn extends infer T ? (T extends Turn ? Omit<T, 'usage'> : never) : never;

function readTurn(reader: ObjectReader): TurnBody {
  const reasoning =
    reader.value('reasoning') === '' ? undefined : reader.text('reasoning', { max: Number.MAX_SAFE_INTEGER });
  const said = reasoning === undefined ? {} : { reasoning };
  const calls = readCalls(reader);
  const confidence = reader.number('confidence', { min: 0, max: 1 });
  const refused = reader.flag('refused') ?? false;
  const answers = reader.has('output') || refused;
  if (answers && calls.length > 0)
    reader.refuse('toolCalls', 'An answer holds either tool calls or an output, not both.');
  if (!answers && calls.length === 0)
    reader.refuse('output', 'Expected an output, or a toolCalls array that is not empty.');
  if (!answers) {
    const state = reader.value('state') as Json | undefined;
    return { kind: 'calls', calls, ...(state !== undefined && { state }), ...said };
  }
  const output = toBody((reader.value('output') as Json | undefined) ?? null);
  return { kind: 'output', output, refused, ...(confidence !== undefined && { confidence }), ...said };
}

function readCalls(reader: ObjectReader): readonly ForeignCall[] {
  const seen = new Set<string>();
  return (reader.list('toolCalls') ?? []).map((item, index) => {
    const call = ObjectReader.of(item, `/toolCalls/${index}`, reader.issues);
    call.require('callId', 'toolId');
    const callId = call.text('callId', { max: 512 }) ?? '';
    if (seen.has(callId)) call.refuse('callId', 'Every call of a turn needs an id of its own.');
    seen.add(callId);
    const toolId = call.text('toolId', { max: 256 }) ?? '';
    return { callId, toolId, inputs: toBody((call.value('inputs') as Json | undefined) ?? null) };
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
