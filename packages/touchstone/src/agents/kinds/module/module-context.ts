import type { Json } from '@touchstone/protocol';
import type { MemoryEntry, ToolStatus } from '@touchstone/protocol/bodies';
import type { OfferedTool } from '../../../ports/index.js';

/** The default export of a `module` agent. What it returns is the answer; what it throws is a failure. */
export type ModuleAgent = (input: Json, context: ModuleContext) => unknown;

/** What a `module` agent is given besides its input. Its members can be taken out of it and used on their own. */
export type ModuleContext = {
  /** The run that this invocation belongs to. */
  readonly runId: string;
  /** This call of the agent, unique in its run. Repeats of a task have different ones. */
  readonly invocationId: string;
  /** The agent's long-term memory as the task seeds it; empty when it has none. */
  readonly memory: readonly MemoryEntry[];
  /** Aborts when the invocation is cancelled or out of time. */
  readonly signal: AbortSignal;
  /** The tools that the agent may use. */
  readonly tools: {
    /** Tools of the agent's allowlist that the host has. */
    readonly offered: readonly OfferedTool[];
    /** Resolves with the tool's outcome; throws a `ToolError` when there is none. */
    call(toolId: string, inputs?: unknown): Promise<unknown>;
  };
  /** Adds to the reasoning that is shown for this invocation. */
  reason(text: string): void;
  /** Reports one model call. It is on record before the answer is used. */
  usage(usage: ModuleUsage): void;
  /** How sure the agent is of its answer, from 0 to 1. */
  confidence(value: number): void;
  /** Makes the answer a refusal. Hands its argument back, so that `return refuse('…')` reads well. */
  refuse<T>(output?: T): T | undefined;
};

/** One model call that the agent made on its own, for costs and budgets. */
export type ModuleUsage = {
  /** Who served the model, e.g. `openai`. */
  readonly provider: string;
  /** The model, as its provider calls it. With the provider it is the key of the price list. */
  readonly model: string;
  /** Tokens that the model read. */
  readonly inputTokens: number;
  /** Tokens that the model wrote. */
  readonly outputTokens: number;
  /** In US dollars. When absent, the host computes it from its price list, or counts the call as unpriced. */
  readonly costUsd?: number;
  /** Whether the answer came from a cache of responses; `false` when absent. */
  readonly cacheHit?: boolean;
};

/**
 * Thrown by `tools.call` when there is no outcome. `status` is `error` when the tool failed, and `forbidden` when the
 * agent may not call it.
 */
export type ToolError = Error & { readonly status: Exclude<ToolStatus, 'ok'>; readonly toolId: string };
