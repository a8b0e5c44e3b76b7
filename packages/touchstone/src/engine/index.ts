export { createEngine } from './engine.js';
export { DEFAULT_LIMITS, ENGINE_VERSION } from './parts.js';
export { FLOOR_WORKFLOWS, type FloorNode, type FloorWorkflow } from './programs/floor-workflows.js';
