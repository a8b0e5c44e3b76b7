import type { CallId, InvocationId, RunId } from '@touchstone/protocol';

/** What a request belongs to: an invocation, or one of its tool calls. */
export type RequestOrigin = {
  /** The run in which the agent is or was invoked. */
  readonly runId: RunId;
  readonly invocationId: InvocationId;
  readonly callId?: CallId;
};
