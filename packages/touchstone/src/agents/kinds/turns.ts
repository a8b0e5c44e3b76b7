import { defined, type Issue, isUnsound, type Json, MAX_JSON_DEPTH, parseJson } from '@touchstone/protocol';
import { type Body, fromBody, toBody } from '@touchstone/protocol/bodies';
import { type AgentHost, type Answer, type Invocation, MAX_TURNS, type Usage } from '../../ports/index.js';
import { ObjectReader } from '../spec/object-reader.js';
import { readUsage } from '../spec/usage-reader.js';
import { failed } from './answers.js';

/** One request and what came back for it: the answer's text, or the reason why there is none. */
export type Ask = (request: string) => Promise<{ readonly kind: 'text'; readonly text: string } | Answer>;

type ToolResultMessage = { readonly callId: string; readonly toolId: string; readonly status: string };

/**
 * Speaks `touchstone.agent/1` with an agent until it answers. `explainNoise` adds to the reason when an answer is not JSON. The agent keeps its own call ids; ours are given by the
 * host and never shown to it. `state` is the agent's to use: it comes back exactly as it was sent.
 */
export async function takeTurns(
  invocation: Invocation,
  host: AgentHost,
  ask: Ask,
  explainNoise?: (text: string) => string,
): Promise<Answer> {
  let state: Json | undefined;
  let toolResults: readonly ToolResultMessage[] | undefined;
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const reply = await ask(writeRequest(invocation, turn, state, toolResults));
    if (reply.kind !== 'text') return reply;
    const said = parseTurn(reply.text, explainNoise);
    // Money first: what was spent is on record before anything that it bought is used.
    if (said.usage.length > 0) await host.spend(said.usage);
    if (said.reasoning !== undefined) host.reason(said.reasoning);
    if (said.kind !== 'calls') return answerOf(said);
    state = said.state;
    toolResults = await callTools(said.calls, host);
  }
  return failed(`The agent took ${MAX_TURNS} turns without giving an answer.`);
}

function writeRequest(
  { runId, invocationId, agentId, input, memory, tools }: Invocation,
  turn: number,
  state: Json | undefined,
  toolResults: readonly ToolResultMessage[] | undefined,
): string {
  const asked = { runId, invocationId, agentId, input: fromBody(input), memory, tools };
  return JSON.stringify({ protocol: 'touchstone.agent/1', ...asked, turn, state, toolResults });
}

function answerOf(said: Exclude<Turn, { kind: 'calls' }>): Answer {
  if (said.kind === 'malformed') return failed(said.reason);
  const { output, confidence } = said;
  return defined({ kind: said.refused ? 'refused' : 'answered', output, confidence } as const);
}

/** One after the other, so that fixtures are consumed in the order the agent asked. */
async function callTools(calls: readonly TurnCall[], host: AgentHost): Promise<readonly ToolResultMessage[]> {
  const results: ToolResultMessage[] = [];
  for (const { callId, toolId, inputs } of calls) {
    const { status, outcome, error } = await host.callTool(toolId, inputs);
    results.push(defined({ callId, toolId, status, outcome, error }));
  }
  return results;
}

// ----------------------------------------------------------------------------------------------- reading an answer

export type TurnCall = { readonly callId: string; readonly toolId: string; readonly inputs: Body };

/** What an agent answered in one turn. `usage` has been paid whatever the rest looks like, so it is always read. */
export type Turn = { readonly usage: readonly Usage[]; readonly reasoning?: string } & (
  | { readonly kind: 'calls'; readonly calls: readonly TurnCall[]; readonly state?: Json }
  | {
      readonly kind: 'output';
      readonly output: Body;
      readonly confidence?: number;
      readonly refused: boolean;
    }
  | { readonly kind: 'malformed'; readonly reason: string }
);

/** Reads an answer of the turn protocol. Issues name the member and what is expected, never what it held. */
export function parseTurn(text: string, explainNoise?: (text: string) => string): Turn {
  const value = parseJson(text);
  if (value === undefined) return malformed(`it is not JSON${explainNoise ? `; ${explainNoise(text)}` : ''}`);
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
    return defined({ kind: 'calls', calls, state, reasoning } as const);
  }
  const output = toBody((reader.value('output') as Json | undefined) ?? null);
  return defined({ kind: 'output', output, refused, confidence, reasoning } as const);
}

function readCalls(reader: ObjectReader): readonly TurnCall[] {
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
