import type { Tool } from '@modelcontextprotocol/client';
import type { JsonObject, ToolId } from '@touchstone/protocol';
import { type Body, fromBody, type ToolResult } from '@touchstone/protocol/bodies';
import { TIMED_OUT, unlessAborted, withinTime } from '../../../net/index.js';
import type { Clock } from '../../../ports/index.js';
import { toolError } from '../tool-result.js';
import { DEFAULT_TOOL_TIMEOUT_MS } from '../tool-spec.js';
import type { Connection, ToolCall } from './connection.js';
import type { McpServerSpec } from './server-spec.js';
import { createSession, type Session, type SessionParts } from './session.js';

export type Listing =
  | { readonly kind: 'listed'; readonly tools: ReadonlyMap<string, Tool> }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** One configured server. */
export type McpServer = {
  readonly spec: McpServerSpec;
  /** For a server that was just unreachable this is answered at once, while it is tried again in the background. */
  tools(): Promise<Listing>;
  /** Rejects only when the signal aborts; every other failure is a result. */
  call(toolId: ToolId, name: string, inputs: Body, signal: AbortSignal): Promise<ToolResult>;
  close(): Promise<void>;
};

export function createMcpServer(
  name: string,
  spec: McpServerSpec,
  parts: Omit<SessionParts, 'timeoutMs'>,
): McpServer {
  const { timeoutMs = DEFAULT_TOOL_TIMEOUT_MS } = spec;
  const context = { clock: parts.clock, timeoutMs, session: createSession(spec, { ...parts, timeoutMs }) };

  async function call(tool: ToolCall, signal: AbortSignal): Promise<ToolResult> {
    const answer = await ask(context, signal, (connection, over) => connection.call(tool, over));
    if (answer === TIMED_OUT) return toolError(`Tool ${tool.toolId} did not answer within ${timeoutMs} ms.`);
    if (answer.kind === 'result') return answer.result;
    if (answer.kind === 'unusable') return toolError(`MCP server ${name} cannot be used: ${answer.reason}.`);
    return toolError(`MCP server ${name} was lost during the call: ${answer.reason}.`);
  }

  async function list(): Promise<Listing> {
    const answer = await ask(context, undefined, (connection, over) => connection.tools(over));
    if (answer === TIMED_OUT)
      return { kind: 'unreachable', reason: `it did not list its tools within ${timeoutMs} ms` };
    return answer.kind === 'listed' ? answer : { kind: 'unreachable', reason: answer.reason };
  }

  return {
    spec,
    tools: rememberFailure(list, parts.clock),
    async call(toolId, toolName, inputs, signal) {
      const members = fromBody(inputs) ?? {};
      if (typeof members !== 'object' || Array.isArray(members))
        return toolError(`Tool ${toolId} takes an object as its inputs.`);
      return call({ toolId, name: toolName, inputs: members as JsonObject }, signal);
    },
    close: () => context.session.close(),
  };
}

/** How long an unreachable server counts as unreachable. */
const FAILURE_MS = 10_000;

/** Callers do not wait for a server that was just found to be unreachable. */
function rememberFailure(list: () => Promise<Listing>, clock: Clock): () => Promise<Listing> {
  let failure: { readonly listing: Listing; readonly until: number } | undefined;
  let asking: Promise<Listing> | undefined;

  async function listNow(): Promise<Listing> {
    const listing = await list();
    asking = undefined;
    failure = listing.kind === 'listed' ? undefined : { listing, until: clock.elapsed() + FAILURE_MS };
    return listing;
  }

  return async () => {
    const known = failure && (asking || clock.elapsed() < failure.until) ? failure.listing : undefined;
    asking ??= listNow();
    return known ?? asking;
  };
}

type ServerContext = Pick<SessionParts, 'clock' | 'timeoutMs'> & { readonly session: Session };

/** Asks over the shared connection, and once more over a new one if the server has forgotten that one. */
async function ask<T extends { readonly kind: string }>(
  context: ServerContext,
  signal: AbortSignal | undefined,
  question: (connection: Connection, over: AbortSignal) => Promise<T>,
  mayRepeat = true,
): Promise<T | typeof TIMED_OUT | { readonly kind: 'unusable'; readonly reason: string }> {
  const { session, clock, timeoutMs } = context;
  const opening = session.open();
  const opened = await unlessAborted(opening, signal);
  if ('reason' in opened) return { kind: 'unusable', reason: opened.reason };
  const answer = await withinTime(clock, timeoutMs, (over) => question(opened.connection, over), signal);
  if (answer === TIMED_OUT || answer.kind !== 'forgotten') return answer;
  session.drop(opening);
  return mayRepeat ? ask(context, signal, question, false) : answer;
}
