export { openAgentIds } from './invoke/opaque-ids.js';
export type { FloorNode, FloorWorkflow } from './kinds/floor-nodes.js';
export { FLOOR_WORKFLOWS, floorWorkflow, USAGE_WORKFLOW } from './kinds/floor-workflows.js';
export { resultPages, walkInOrder } from './log/read-results.js';
export { DEFAULT_LIMITS, ENGINE_VERSION, type Sharing } from './parts.js';
export { createEngine } from './run/engine.js';
