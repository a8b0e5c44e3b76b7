// Everything that may hold content is exported from `@touchstone/protocol/bodies`. The scorecard module may not import
// it, and no type of the package index mentions `Body`: a leak is a type error before it is a finding.

import type { Body } from './body.js';
import type { CallId, InvocationId, TaskId, ToolId } from './ids.js';

/** What a golden task's answer is held against. */
export type GoldenMatch = {
  /** `exact`: the same text. `contains`: the text occurs. `json-match`: equal as JSON, whatever the order of members. */
  readonly strategy: 'exact' | 'contains' | 'json-match';
  /** The right answer, as the suite's author wrote it. */
  readonly value: Body;
};

/** One demand of a rubric. */
export type Criterion = {
  /** A sentence for a judge, or a check: see `parseCriterion`. */
  readonly criterion: Body;
  /** How much it counts beside the other criteria of its task; zero or more. */
  readonly weight: number;
};

/** `kind` alone decides which block scores the task; a block of the other kind may stand beside it and is ignored. */
export type Expected =
  | {
      /** The answer is compared with `match`. */
      readonly kind: 'golden';
      /** The right answer, and how it is compared. */
      readonly match: GoldenMatch;
      /** Ignored. */
      readonly rubric?: readonly Criterion[];
    }
  | {
      /** A judge or checks decide each criterion. */
      readonly kind: 'rubric';
      /** At least one criterion. */
      readonly rubric: readonly Criterion[];
      /** Ignored. */
      readonly match?: GoldenMatch;
    };

/** A recorded answer of a tool, which the agent gets instead of a live call. */
export type ToolResponse = {
  /** The tool that is answered for. */
  readonly tool: ToolId;
  /** What it answers; absent when it answers nothing. */
  readonly response?: Body;
};

/** A memory entry as the suite's author wrote it; the engine fills in id, tags and createdAt. */
export type MemorySeed = {
  /** What is remembered. */
  readonly content: string;
  /** The entry's name in the memory; made by the engine when absent. */
  readonly id?: string;
  /** Words to find it by; none when absent. */
  readonly tags?: readonly string[];
  /** When it was remembered, ISO 8601; a fixed early date when absent. */
  readonly createdAt?: string;
  /** From when on it is forgotten, ISO 8601; never when absent. */
  readonly expiresAt?: string;
};

/** What surrounds a task's invocation in place of the live world. */
export type Fixtures = {
  /** Answers by tool, in the order of the calls; the last one repeats. A tool without any answers with an error. */
  readonly toolResponses?: readonly ToolResponse[];
  /** What the agent's memory holds before the task begins. */
  readonly memorySeed?: readonly MemorySeed[];
};

/**
 * One task of a suite, checked, exactly as its author wrote it: what is read back can be installed elsewhere under the
 * same digest.
 */
export type Task = {
  /** Names the task in its suite, in events and in results. */
  readonly taskId: TaskId;
  /** What the agent is given. */
  readonly input: Body;
  /** What its answer is scored by. */
  readonly expected: Expected;
  /** Absent and empty differ: an empty block still forbids live calls. */
  readonly fixtures?: Fixtures;
};

/** An entry of an agent's long-term memory. */
export type MemoryEntry = {
  /** Names it in the memory. */
  readonly id: string;
  /** What is remembered. */
  readonly content: string;
  /** Words to find it by. */
  readonly tags: readonly string[];
  /** When it was remembered, ISO 8601. */
  readonly createdAt: string;
  /** From when on it is forgotten, ISO 8601; never when absent. */
  readonly expiresAt?: string;
};

/** `forbidden`: the tool is not on the agent's allowlist, or has side effects where none are allowed. */
export type ToolStatus = 'ok' | 'error' | 'forbidden';

/** What came of one tool call. */
export type ToolResult = {
  /** Whether the tool answered, failed, or was not called. */
  readonly status: ToolStatus;
  /** What it answered; absent when it did not, or answered nothing. */
  readonly outcome?: Body;
  /** What went wrong, in words the agent may read; absent when all went well. */
  readonly error?: string;
};

/** What a reader of one task sees of one tool call. */
export type ToolCallBody = {
  /** Names the call in the events of the run. */
  readonly callId: CallId;
  /** The tool that the agent asked for. */
  readonly toolId: ToolId;
  /** What came of it. */
  readonly status: ToolStatus;
  /** What the agent sent. */
  readonly inputs: Body;
  /** What the tool answered; absent when it did not. */
  readonly outcome?: Body;
  /** What went wrong, in words; absent when nothing did. */
  readonly error?: string;
  /** The agent called the tool itself and told us afterwards. */
  readonly observed?: true;
};

/** The part of a sealed record that is content and is not already in an `agent.*` event. */
export type RecordBodies = {
  /** Why the task failed, in words: the agent's error, a timeout, the judge's unreadable answer. */
  readonly reason?: string;
  /** How often the agent was asked; absent when it was once. */
  readonly attempts?: number;
  /** What the agent's code printed while it worked on the task, cut to a bound; absent when it printed nothing. */
  readonly printed?: string;
  /** Calls refused by the allowlist leave no event, only this trace. */
  readonly refusedCalls?: readonly {
    /** Unique in the run; no event has it. */
    readonly callId: CallId;
    /** The tool that was called, as `<scope>:<tool>`. */
    readonly toolId: ToolId;
    /** What the agent sent to the tool. */
    readonly inputs: Body;
  }[];
  /** Long-term memory that was read. Seeds are in the suite, and not repeated here. */
  readonly memory?: readonly MemoryEntry[];
  /** One per criterion of the task, in its order, with the judge's reasons. */
  readonly criteria?: readonly {
    /** Whether the answer met the criterion. */
    readonly met: boolean;
    /** To what degree, from 0 to 1; absent for criteria without degrees. */
    readonly score?: number;
    /** The judge's words, or what a check that is not met looked for and found. */
    readonly reason?: string;
    /** Where JSON differs, as a place in what a check expects; absent when it does not. */
    readonly differsAt?: string;
  }[];
};

/** What went into one invocation and what came out. */
export type InvocationBodies = {
  /** Names the invocation in the events of the run. */
  readonly invocationId: InvocationId;
  /** What the agent was given. */
  readonly input: Body;
  /** What it answered; absent when it did not. */
  readonly output?: Body;
};

export * from './body.js';
export * from './checks/catalogue.js';
export { operatorOf } from './checks/match-value.js';
export * from './criterion.js';
export * from './events.js';
export * from './profile.js';
