export { FLOOR_WORKFLOWS, type FloorNode, type FloorWorkflow } from './kinds/floor-workflows.js';
export { DEFAULT_LIMITS, ENGINE_VERSION } from './parts.js';
export { createEngine } from './run/engine.js';
