import type { Json } from '@touchstone/protocol';
import { fromBody, type ToolResult } from '@touchstone/protocol/bodies';
import { type AgentHost, type Answer, type Invocation, MAX_TURNS } from '../../ports/index.js';
import { failed } from './answers.js';
import { type ForeignCall, parseTurn, type Turn } from './turn-answer.js';

/** One request and what came back for it: the answer's text, or the reason why there is none. */
export type Ask = (request: string) => Promise<{ readonly kind: 'text'; readonly text: string } | Answer>;

type ToolResultMessage = { readonly callId: string; readonly toolId: string; readonly status: string };

/**
 * Speaks `touchstone.agent/1` with an agent until it answers. The agent keeps its own call ids; ours are given by the
 * host and never shown to it. `state` is the agent's to use: it comes back exactly as it was sent.
 */
export async function takeTurns(invocation: Invocation, host: AgentHost, ask: Ask): Promise<Answer> {
  let state: Json | undefined;
  let toolResults: readonly ToolResultMessage[] | undefined;
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const reply = await ask(writeRequest(invocation, turn, state, toolResults));
    if (reply.kind !== 'text') return reply;
    const said = parseTurn(reply.text);
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
  return {
    kind: said.refused ? 'refused' : 'answered',
    output,
    ...(confidence !== undefined && { confidence }),
  };
}

/** One after the other, so that fixtures are consumed in the order the agent asked. */
async function callTools(
  calls: readonly ForeignCall[],
  host: AgentHost,
): Promise<readonly ToolResultMessage[]> {
  const results: ToolResultMessage[] = [];
  for (const { callId, toolId, inputs } of calls) {
    const { status, outcome, error }: ToolResult = await host.callTool(toolId, inputs);
    const said = { ...(outcome !== undefined && { outcome }), ...(error !== undefined && { error }) };
    results.push({ callId, toolId, status, ...said });
  }
  return results;
}
