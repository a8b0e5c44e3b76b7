export { agreementOn, type VerdictPair } from './calibration/agreement.js';
export { type CalibrationFilter, foldCalibration, unnamedLabel } from './calibration/calibration.js';
export type { LabelDifferences } from './calibration/corrected-score.js';
export { type JudgeDrift, measureDrift } from './calibration/drift.js';
export { type JudgedLabel, measureLabels } from './calibration/label-agreement.js';
export { type SharedTasks, shareTasks, type TaskDigests } from './comparison/common-tasks.js';
export {
  compareRuns,
  type MeasuredResults,
  scoreOf,
  whyNoVerdict,
} from './comparison/compare-runs.js';
export { isDecided, lookAfterEach } from './comparison/looks.js';
export { buildSummary, DEFAULT_PASS_SCORE } from './fold/build.js';
export { hasTotals, scorecardTroubles } from './fold/check.js';
export { foldTask, taskThreshold, thresholdOf } from './fold/fold-task.js';
export { encodeOutcomes, outcomeAt } from './fold/outcomes.js';
export { buildContractReport } from './report/contract-report.js';
export { buildFigures, buildReport, type ReportExtras } from './report/report.js';
