import {
  defined,
  type Issue,
  isObject,
  isUnsound,
  type Json,
  MAX_JSON_DEPTH,
  parseJson,
} from '@touchstone/protocol';
import { type Body, fromBody, toBody } from '@touchstone/protocol/bodies';
import {
  type AnyObject,
  flag,
  fraction,
  issueAt,
  json,
  list,
  object,
  ruled,
  schemaIssues,
  text,
  type Wire,
} from '@touchstone/protocol/schema';
import { type AgentHost, type Answer, type Invocation, MAX_TURNS, type Usage } from '../../ports/index.js';
import { filled, usageOf, usageShape } from '../spec/members.js';
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

/** What an agent may send. Members that it adds of its own are left alone. */
const usageMember = object({}, { usage: list(usageShape) });
const turnShape = ruled(
  object(
    {},
    {
      reasoning: text(),
      toolCalls: ruled(
        list(object({ callId: filled(512), toolId: filled(256) }, { inputs: json() })),
        repeatedIds,
      ),
      confidence: fraction(),
      refused: flag(),
      output: json(),
      state: json(),
    },
  ),
  contentIssues,
);

function repeatedIds(calls: readonly unknown[]): readonly Issue[] {
  const ids = calls.map((call) => (isObject(call) ? call.callId : undefined));
  return ids.flatMap((id, index) =>
    issueAt(
      `/${index}/callId`,
      id !== undefined && ids.indexOf(id) < index && 'every call of a turn needs an id of its own',
    ),
  );
}

function contentIssues({ output, refused, toolCalls }: AnyObject): readonly Issue[] {
  const answers = output !== undefined || refused === true;
  const calls = Array.isArray(toolCalls) && toolCalls.length > 0;
  if (answers && calls)
    return issueAt('/toolCalls', 'an answer holds either tool calls or an output, not both');
  return issueAt(
    '/output',
    !answers && !calls && 'expected an output, or a toolCalls array that is not empty',
  );
}

/** Reads an answer of the turn protocol. Issues name the member and what is expected, never what it held. */
export function parseTurn(text: string, explainNoise?: (text: string) => string): Turn {
  const value = parseJson(text);
  if (value === undefined) return malformed(`it is not JSON${explainNoise ? `; ${explainNoise(text)}` : ''}`);
  if (isUnsound(value, MAX_JSON_DEPTH))
    return malformed(`it nests deeper than ${MAX_JSON_DEPTH} levels, or holds a number that is too large`);
  const usageIssues = schemaIssues(usageMember, value);
  const { usage = [] } = usageIssues.length === 0 ? (value as Wire<typeof usageMember>) : {};
  const paid = usage.map(usageOf);
  const reason = reportedError(value);
  if (reason !== undefined) return { kind: 'malformed', reason, usage: paid };
  const [issue] = [...schemaIssues(turnShape, value), ...usageIssues];
  if (issue) return { ...malformed(`${issue.pointer || '/'}: ${issue.message}`), usage: paid };
  return { ...turnOf(value as Wire<typeof turnShape>), usage: paid };
}

const errorShape = object({ message: text() }, { type: text(), at: text() });

/**
 * An error that the agent reports in place of an answer, with the place in its author's files where it is known. An
 * answer may hold a member of this name: then it is the agent's own.
 */
export function reportedError(value: Json): string | undefined {
  if (!isObject(value) || ['output', 'refused', 'toolCalls'].some((name) => value[name] !== undefined))
    return undefined;
  const { error } = value as { readonly error?: unknown };
  if (schemaIssues(errorShape, error).length > 0) return undefined;
  const { type, message, at } = error as Wire<typeof errorShape>;
  const words = [type, message].filter(Boolean).join(': ') || 'The agent reported an error.';
  return at === undefined ? words : `${words}\nat ${at}`;
}

const malformed = (problem: string): Turn => ({
  kind: 'malformed',
  reason: `The agent's answer does not follow touchstone.agent/1: ${problem}`,
  usage: [],
});

type TurnBody = Turn extends infer T ? (T extends Turn ? Omit<T, 'usage'> : never) : never;

function turnOf({ output, state, confidence, ...turn }: Wire<typeof turnShape>): TurnBody {
  const { refused = false, toolCalls = [] } = turn;
  const reasoning = turn.reasoning === '' ? undefined : turn.reasoning;
  if (output !== undefined || refused)
    return defined({
      kind: 'output',
      output: toBody(output ?? null),
      refused,
      confidence,
      reasoning,
    } as const);
  const calls = toolCalls.map(({ callId, toolId, inputs }) => ({
    callId,
    toolId,
    inputs: toBody(inputs ?? null),
  }));
  return defined({ kind: 'calls', calls, state, reasoning } as const);
}
