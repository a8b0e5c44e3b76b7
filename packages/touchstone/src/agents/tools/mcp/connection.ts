import type { CallToolResult, Client, JsonSchemaValidator, Tool } from '@modelcontextprotocol/client';
import { type Json, parseJson, type ToolId } from '@touchstone/protocol';
import type { ToolResult } from '@touchstone/protocol/bodies';
import { withinTime } from '../../../net/index.js';
import type { Clock } from '../../../ports/index.js';
import { toolError, toolOutcome } from '../tool-result.js';
import { createHttpTransport } from './http.js';
import type { McpLibrary } from './library.js';
import { type ConnectionLoss, ConnectionLost, lossOf, reasonOf, STREAM_ENDED } from './loss.js';
import type { McpServerSpec } from './server-spec.js';
import { createStdioTransport } from './stdio.js';

type ConnectionParts = {
  readonly library: McpLibrary;
  readonly clock: Clock;
  readonly baseDir: string;
  readonly maxOutcomeBytes: number;
};

export type ToolCall = {
  readonly toolId: ToolId;
  readonly name: string;
  readonly inputs: { readonly [member: string]: Json };
};

type ToolsByName = ReadonlyMap<string, Tool>;

/** One session with one server. It rejects only when the signal aborts. */
export type Connection = {
  /** Asked once, and again when the server says that its tools have changed. */
  tools(
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'listed'; readonly tools: ToolsByName } | ConnectionLoss>;
  call(
    call: ToolCall,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'result'; readonly result: ToolResult } | ConnectionLoss>;
  close(): Promise<void>;
};

// The host measures time itself, so the library's timers are set as far ahead as timers can be.
const FAR_AHEAD_MS = 2 ** 31 - 1;

/** Rejects with ConnectionLost, or with what the signal says; nothing is left running then. */
export async function connect(
  spec: McpServerSpec,
  parts: ConnectionParts,
  signal: AbortSignal,
  onLost: () => void,
): Promise<Connection> {
  const { library, maxOutcomeBytes } = parts;
  let complaint: string | undefined;
  let listing: Promise<ToolsByName> | undefined;
  const forgetListing = () => {
    listing = undefined;
  };
  const transport = createTransport(spec, parts, (reason) => {
    complaint = reason;
  });
  const client = createClient(library, spec, forgetListing);
  client.onclose = onLost;
  const within = (limit: AbortSignal) => ({ signal: limit, timeout: FAR_AHEAD_MS });
  try {
    await client.connect(transport, within(signal));
  } catch (error) {
    await transport.close();
    signal.throwIfAborted();
    throw new ConnectionLost(complaint ?? reasonOf(error, library));
  }

  function list(limit: AbortSignal): Promise<ToolsByName> {
    const asked = listTools(client, within(limit));
    listing = asked;
    asked.catch(() => listing === asked && forgetListing());
    return asked;
  }

  return {
    async tools(limit) {
      try {
        return { kind: 'listed', tools: await (listing ?? list(limit)) };
      } catch (error) {
        limit.throwIfAborted();
        return lossOf(error, library, complaint);
      }
    },
    async call({ toolId, name, inputs }, limit) {
      try {
        const result = await client.callTool({ name, arguments: { ...inputs } }, within(limit));
        return { kind: 'result', result: readResult(result, toolId, maxOutcomeBytes) };
      } catch (error) {
        limit.throwIfAborted();
        const answer = answerIn(error, toolId, library);
        return answer ? { kind: 'result', result: answer } : lossOf(error, library, complaint);
      }
    },
    async close() {
      client.onclose = () => undefined;
      if ('terminateSession' in transport) await sayGoodbye(() => transport.terminateSession(), parts.clock);
      await client.close();
    },
  };
}

const GOODBYE_MS = 2_000;

/** A courtesy: the server would notice by itself, only later. */
async function sayGoodbye(terminate: () => Promise<void>, clock: Clock): Promise<void> {
  await withinTime(clock, GOODBYE_MS, terminate).catch(() => undefined);
}

/** A message may hold the outcome twice, as text and as structure. */
const messageBytes = (maxOutcomeBytes: number): number => 3 * maxOutcomeBytes + 64 * 1024;

function createTransport(
  spec: McpServerSpec,
  { library, clock, baseDir, maxOutcomeBytes }: ConnectionParts,
  complain: (reason: string) => void,
) {
  const maxMessageBytes = messageBytes(maxOutcomeBytes);
  return 'url' in spec
    ? createHttpTransport(spec, { library, maxMessageBytes, complain })
    : createStdioTransport(spec, { library, clock, baseDir, maxMessageBytes, complain });
}

function createClient(library: McpLibrary, spec: McpServerSpec, onToolsChanged: () => void): Client {
  return new library.Client(
    { name: 'touchstone', version: '1' },
    {
      // Over a pipe the newer handshake is not tried: servers exist that end themselves when they meet it.
      versionNegotiation: { mode: 'url' in spec ? 'auto' : 'legacy' },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
      // Whether an outcome has the promised shape is for the agent to find out, as with any other tool.
      jsonSchemaValidator: { getValidator: acceptAnything },
    },
  );
}

const acceptAnything =
  <T>(): JsonSchemaValidator<T> =>
  (input) => ({ valid: true, data: input as T, errorMessage: undefined });

async function listTools(
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<ToolsByName> {
  const { tools } = await client.listTools(undefined, { ...options, cacheMode: 'refresh' });
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** The result when the server did answer with an error: of the protocol, of HTTP, or in a form that cannot be read. */
function answerIn(error: unknown, toolId: ToolId, library: McpLibrary): ToolResult | undefined {
  const { ProtocolError, SdkHttpError, SdkError, SdkErrorCode } = library;
  if (lossOf(error, library).kind === 'forgotten') return undefined;
  if (ProtocolError.isInstance(error))
    return error.code === STREAM_ENDED ? undefined : toolError(error.message);
  if (SdkHttpError.isInstance(error))
    return toolError(`Tool ${toolId}: its server answered with HTTP ${error.status}.`);
  const isMalformed = SdkError.isInstance(error) && error.code === SdkErrorCode.InvalidResult;
  return isMalformed ? toolError(`Tool ${toolId} did not answer in the form of MCP.`) : undefined;
}

/** The answer of a tool as one JSON value: its structured content, or else the value of its text. */
function readResult(result: CallToolResult, toolId: ToolId, maxBytes: number): ToolResult {
  if (result.isError) return toolError(textOf(result) || `Tool ${toolId} reported an error without words.`);
  const outcome = outcomeOf(result);
  const read = toolOutcome(outcome, toolId);
  return read.status === 'ok' && Buffer.byteLength(JSON.stringify(outcome)) > maxBytes
    ? toolError(`Tool ${toolId}: The answer is larger than ${maxBytes} bytes.`)
    : read;
}

const textOf = ({ content = [] }: CallToolResult): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

function outcomeOf({ structuredContent, content = [] }: CallToolResult): Json {
  if (structuredContent !== undefined) return structuredContent as Json;
  const [first] = content;
  if (content.length !== 1 || first?.type !== 'text') return content as unknown as Json;
  const value = parseJson(first.text);
  return value === undefined ? first.text : value;
}
