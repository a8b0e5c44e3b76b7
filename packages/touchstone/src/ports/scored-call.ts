import type { ToolId } from '@touchstone/protocol';
import type { Body, ToolStatus } from '@touchstone/protocol/bodies';

/** A call the agent made, or tried to make. */
export type ScoredCall = {
  readonly toolId: ToolId;
  readonly inputs: Body;
  readonly status: ToolStatus;
  /** What the tool gave back. */
  readonly outcome?: Body;
};
