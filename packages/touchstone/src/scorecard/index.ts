export { adjust, type GivenOverride } from './adjusted.js';
export { mean, nearestRank } from './aggregate.js';
export { buildScorecard } from './build.js';
export { scorecardTroubles } from './check.js';
export { buildContractReport, type ContractTerms } from './contract-report.js';
export { foldTask, taskBar } from './fold-task.js';
export { type BaselineFacts, compareResults } from './regression.js';
export { buildReport, type ReportExtras } from './report.js';
