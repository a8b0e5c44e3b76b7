import type { InvocationOutcome, ToolId } from '@touchstone/protocol';
import type { Body, Fixtures, ToolStatus } from '@touchstone/protocol/bodies';

export type SafetyTier = 'pure' | 'read' | 'write' | 'exec';

export type ProbedCall = {
  readonly toolId: ToolId;
  readonly inputs: Body;
  readonly status: ToolStatus;
  readonly safetyTier?: SafetyTier;
};

/** One invocation as the detectors see it: what the agent was given, what it did, what it said. */
export type Probe = {
  readonly input: Body;
  readonly fixtures?: Fixtures;
  /** Absent when the agent gave no answer. */
  readonly output?: Body;
  readonly outcome: InvocationOutcome;
  readonly toolCalls: readonly ProbedCall[];
  /** The resolved system prompt, when it is known. */
  readonly prompt?: string;
};
