import { isUnsound, type Json, MAX_JSON_DEPTH, type Owner, type ToolId } from '@touchstone/contract';
import { type Body, fromBody, type ToolResult, toBody } from '@touchstone/contract/bodies';
import type { Clock, OfferedTool, Tools } from '@touchstone/contract/ports';
import { onAbort } from './abort.js';
import { createPoster, type Poster, type PostResult } from './http-post.js';
import type { ToolSpec } from './tool-spec.js';

export type ToolGrants = {
  /** Whether all keys of this host belong to one tenant, so that a tool without `tenants` is everyone's. */
  readonly isSingleTenant: () => boolean;
  readonly clock: Clock;
  readonly maxOutcomeBytes?: number;
};

export type HostTools = Tools & { close(): void };

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_OUTCOME_BYTES = 4 * 1024 * 1024;

/** The live tools of this host. Calling one is a POST of the inputs; the JSON that comes back is the outcome. */
export function createTools(specs: readonly ToolSpec[], grants: ToolGrants): HostTools {
  const tools = new Map<string, LiveTool>(
    specs.map((spec) => [spec.toolId, { spec, poster: createPoster(spec) }]),
  );
  const grantedTool = (owner: Owner, toolId: ToolId): LiveTool | undefined => {
    const tool = tools.get(toolId);
    return tool && isGranted(tool.spec, owner, grants) ? tool : undefined;
  };
  return {
    granted: (owner, wanted) =>
      wanted.flatMap((toolId) => {
        const tool = grantedTool(owner, toolId);
        return tool ? [offerOf(tool.spec)] : [];
      }),
    describe(toolId) {
      const tool = tools.get(toolId);
      return tool ? offerOf(tool.spec) : { toolId };
    },
    async call(owner, toolId, inputs, signal) {
      const tool = grantedTool(owner, toolId);
      if (!tool) return { status: 'forbidden', error: `Tool ${toolId} is not granted here.` };
      return callLive(tool, inputs, signal, grants);
    },
    close() {
      for (const { poster } of tools.values()) poster.close();
    },
  };
}

type LiveTool = { readonly spec: ToolSpec; readonly poster: Poster };

const isGranted = ({ tenants }: ToolSpec, owner: Owner, { isSingleTenant }: ToolGrants): boolean =>
  tenants ? tenants.includes(owner.tenant) : isSingleTenant();

const offerOf = ({ toolId, description, inputSchema }: ToolSpec): OfferedTool => ({
  toolId,
  ...(description !== undefined && { description }),
  ...(inputSchema && { inputSchema }),
});

async function callLive(
  tool: LiveTool,
  inputs: Body,
  signal: AbortSignal,
  grants: ToolGrants,
): Promise<ToolResult> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, toolId } = tool.spec;
  const maxBytes = grants.maxOutcomeBytes ?? DEFAULT_OUTCOME_BYTES;
  signal.throwIfAborted();
  const over = new AbortController();
  const stopListening = onAbort(signal, () => over.abort(signal.reason));
  const timer = grants.clock.sleep(timeoutMs, over.signal).then(
    () => over.abort(TIMED_OUT),
    () => undefined,
  );
  try {
    const result = await tool.poster.post({
      body: JSON.stringify(fromBody(inputs)),
      signal: over.signal,
      maxBytes,
    });
    return resultOf(result, toolId);
  } catch (error) {
    if (error !== TIMED_OUT) throw error;
    return { status: 'error', error: `Tool ${toolId} did not answer within ${timeoutMs} ms.` };
  } finally {
    stopListening();
    over.abort();
    await timer;
  }
}

const TIMED_OUT = Symbol('the tool took too long');

function resultOf(result: PostResult, toolId: ToolId): ToolResult {
  if (result.kind === 'lost') return trouble(`Tool ${toolId} could not be reached (${result.code}).`);
  if (result.kind !== 'response') return trouble(`Tool ${toolId}: ${result.reason}`);
  const { status, text } = result;
  if (status < 200 || status > 299) return trouble(`Tool ${toolId} answered with HTTP ${status}.`);
  return status === 204 ? { status: 'ok', outcome: toBody(null) } : outcomeOf(text, toolId);
}

function outcomeOf(text: string, toolId: ToolId): ToolResult {
  let outcome: Json;
  try {
    outcome = JSON.parse(text);
  } catch {
    return trouble(`Tool ${toolId} did not answer with JSON.`);
  }
  if (isUnsound(outcome, MAX_JSON_DEPTH))
    return trouble(`Tool ${toolId} answered with JSON that nests too deep.`);
  return { status: 'ok', outcome: toBody(outcome) };
}

const trouble = (error: string): ToolResult => ({ status: 'error', error });
