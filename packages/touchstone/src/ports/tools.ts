import type { Owner, ToolId } from '@touchstone/protocol';
import type { Body, ToolResult } from '@touchstone/protocol/bodies';
import type { OfferedTool } from './agent.js';
import type { SafetyTier } from './scorer.js';

/** The live tools of this host. Fixtures stand in front of it; the allowlist is checked before it is asked. */
export type Tools = {
  /** The tools among `wanted` that this owner has been granted. Asked once per run, so a run's surface does not change. */
  granted(owner: Owner, wanted: readonly ToolId[]): Promise<readonly OfferedTool[]>;
  /** All of `wanted`, for tasks whose fixtures stand in; a tool unknown here is offered by its id alone. */
  described(owner: Owner, wanted: readonly ToolId[]): Promise<readonly OfferedTool[]>;
  /** The side effects a tool may have; undefined for a tool this host does not know. */
  tierOf(toolId: ToolId): Promise<SafetyTier | undefined>;
  call(owner: Owner, toolId: ToolId, inputs: Body, signal: AbortSignal): Promise<ToolResult>;
};
