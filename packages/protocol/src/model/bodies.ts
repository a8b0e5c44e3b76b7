// Everything that may hold content lives behind this door (`@touchstone/protocol/bodies`). The scorecard room may not
// import it, and no type exported by the main door mentions `Body`: a leak is a type error before it is a finding.

import type { Body } from './body.js';
import type { CallId, InvocationId, TaskId, ToolId } from './ids.js';

export type GoldenMatch = { readonly strategy: 'exact' | 'contains' | 'json-match'; readonly value: Body };
export type Criterion = { readonly criterion: Body; readonly weight: number };

/** `kind` alone decides which block scores the task; a block of the other kind may stand beside it and is ignored. */
export type Expected =
  | { readonly kind: 'golden'; readonly match: GoldenMatch; readonly rubric?: readonly Criterion[] }
  | { readonly kind: 'rubric'; readonly rubric: readonly Criterion[]; readonly match?: GoldenMatch };

export type ToolResponse = { readonly tool: ToolId; readonly response?: Body };
/** A memory entry as the author wrote it; the engine fills in id, tags and createdAt. */
export type MemorySeed = {
  readonly content: string;
  readonly id?: string;
  readonly tags?: readonly string[];
  readonly createdAt?: string;
  readonly expiresAt?: string;
};
export type Fixtures = {
  readonly toolResponses?: readonly ToolResponse[];
  readonly memorySeed?: readonly MemorySeed[];
};

/**
 * One task of a suite, checked, exactly as its author wrote it: what is read back can be installed elsewhere under the
 * same digest. `fixtures` absent and `fixtures` empty differ: an empty block still forbids live calls.
 */
export type Task = {
  readonly taskId: TaskId;
  readonly input: Body;
  readonly expected: Expected;
  readonly fixtures?: Fixtures;
};

export type MemoryEntry = {
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly createdAt: string;
  readonly expiresAt?: string;
};

export type ToolStatus = 'ok' | 'error' | 'forbidden';
export type ToolResult = {
  readonly status: ToolStatus;
  readonly outcome?: Body;
  readonly error?: string;
};

/** What a reader of one task sees of one tool call. */
export type ToolCallBody = {
  readonly callId: CallId;
  readonly toolId: ToolId;
  readonly status: ToolStatus;
  readonly inputs: Body;
  readonly outcome?: Body;
  readonly error?: string;
};

/** The part of a sealed record that is content and is not already in an `agent.*` event. */
export type RecordBodies = {
  /** Why the task failed, in words: the agent's error, a timeout, the judge's unreadable answer. */
  readonly reason?: string;
  readonly attempts?: number;
  /** Calls refused by the allowlist leave no event, only this trace. */
  readonly refusedCalls?: readonly {
    readonly callId: CallId;
    readonly toolId: ToolId;
    readonly inputs: Body;
  }[];
  /** Long-term memory that was read. Seeds are in the suite, and not repeated here. */
  readonly memory?: readonly MemoryEntry[];
  readonly criteria?: readonly { readonly met: boolean; readonly score?: number; readonly reason?: string }[];
};

export type InvocationBodies = {
  readonly invocationId: InvocationId;
  readonly input: Body;
  readonly output?: Body;
};

export * from './body.js';
export * from './criterion.js';
export * from './events.js';
export * from './profile.js';
