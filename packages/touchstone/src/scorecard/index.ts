export { mean, nearestRank } from './aggregate.js';
export { buildScorecard } from './build.js';
export { foldTask, taskBar } from './fold-task.js';
export { buildReport } from './report.js';
