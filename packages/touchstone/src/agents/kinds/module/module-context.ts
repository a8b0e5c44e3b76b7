import type { Json } from '@touchstone/protocol';
import type { MemoryEntry, ToolStatus } from '@touchstone/protocol/bodies';
import type { OfferedTool } from '../../../ports/index.js';

/** The default export of a `module` agent. What it returns is the answer; what it throws is a failure. */
export type ModuleAgent = (input: Json, context: ModuleContext) => unknown;

/** What a `module` agent is given besides its input. Its members can be taken out of it and used on their own. */
export type ModuleContext = {
  readonly runId: string;
  readonly invocationId: string;
  readonly memory: readonly MemoryEntry[];
  /** Aborts when the invocation is cancelled or out of time. */
  readonly signal: AbortSignal;
  readonly tools: {
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

export type ModuleUsage = {
  readonly provider: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd?: number;
  readonly cacheHit?: boolean;
};

export type ToolError = Error & { readonly status: Exclude<ToolStatus, 'ok'>; readonly toolId: string };
