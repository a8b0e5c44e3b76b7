export { agreementOn, type VerdictPair } from './calibration/agreement.js';
export { type CalibrationFilter, foldCalibration, unnamedLabel } from './calibration/calibration.js';
export type { LabelDifferences } from './calibration/corrected-score.js';
export { type JudgeDrift, measureDrift } from './calibration/drift.js';
export { type JudgedLabel, measureLabels } from './calibration/label-agreement.js';
export { type SharedTasks, shareTasks, type TaskDigests } from './comparison/common-tasks.js';
export {
  createComparison,
  type MeasuredFacts,
  type MeasuredResults,
  whyNoVerdict,
} from './comparison/compare-runs.js';
export { isDecided, lookAfterEach } from './comparison/looks.js';
export { type PairTaker, pairUp, type SameTasks } from './comparison/paired-fold.js';
export { scoreOf } from './comparison/task-pairs.js';
export { createSummary, DEFAULT_PASS_SCORE } from './fold/build.js';
export { createTotalsCheck, hasTotals, scorecardTroubles } from './fold/check.js';
export { foldTask, taskThreshold, thresholdOf } from './fold/fold-task.js';
export { createOutcomes, outcomeAt } from './fold/outcomes.js';
export { createContractReport } from './report/contract-report.js';
export { type Baseline, createHeadlineFigures, createReport } from './report/report.js';
