// Our own documents: bodies and answers that the protocol publishes no schema for.
export * from './board.js';
export * from './catalogue.js';
export * from './comparison.js';
export { contractReport } from './contract-report.js';
export * from './deployments.js';
export { hostCounts, matrix } from './matrix.js';
export { page } from './parts.js';
export { evalReport } from './report.js';
export * from './retention.js';
export * from './review.js';
export * from './runs.js';
export * from './scorecard.js';
export * from './sessions.js';
export { suiteTaskList, suiteTaskView } from './suite-tasks.js';
export * from './task-events.js';
export * from './task-search.js';
export * from './tasks.js';
export * from './webhooks.js';
