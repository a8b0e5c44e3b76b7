export * from './model/audit.js';
export * from './model/calibration.js';
export * from './model/deployment.js';
export * from './model/errors.js';
export * from './model/evidence.js';
export * from './model/facts.js';
export * from './model/gate.js';
export * from './model/ids.js';
export * from './model/judge-reference.js';
export * from './model/matrix.js';
export * from './model/measurers.js';
export * from './model/modes.js';
export * from './model/owner.js';
export * from './model/review.js';
export * from './model/run.js';
export * from './model/score.js';
export * from './model/scorecard.js';
export * from './model/status.js';
export * from './model/task-lists.js';
export * from './model/verdicts.js';
export * from './values/json.js';
export * from './values/json-text.js';
export * from './values/object.js';
export type { Page } from './values/pages.js';
export * from './values/pointer.js';
export * from './values/wildcards.js';
export type { DeploymentRecord } from './wire/openwop/agent-deployment.js';
export type { AgentDeploymentTransitionWire } from './wire/openwop/agent-deployment-transition.js';
export type {
  AgentInventoryEntryWire,
  AgentInventoryResponseWire,
} from './wire/openwop/agent-inventory-response.js';
export type { AnnotationWire } from './wire/openwop/annotation.js';
export type { AnnotationCreateWire } from './wire/openwop/annotation-create.js';
export type { DebugBundleWire } from './wire/openwop/debug-bundle.js';
export type { EvalSummary, SummaryTotals, TaskScore } from './wire/openwop/eval-summary.js';
export type { RunCreateWire } from './wire/openwop/run-create.js';
export type { RunDiffResponseWire } from './wire/openwop/run-diff-response.js';
export type { RunSnapshotWire } from './wire/openwop/run-snapshot.js';
export type { ToolDescriptorWire } from './wire/openwop/tool-descriptor.js';
export type {
  BoardAgent,
  BoardChannel,
  BoardVersion,
  GateReview,
  MoveReview,
  PendingMove,
} from './wire/vendor/board.js';
export type {
  CompiledProfile,
  CompileProfile,
  InstalledPack,
  InstalledSuite,
  KeyEntry,
  PackListing,
  RemovedPack,
  RevokedPack,
  SuiteInstallation,
  SuiteListing,
  SuiteSignature,
} from './wire/vendor/catalogue.js';
export type { BaselineEntry, BlessedRun, NewBaseline } from './wire/vendor/comparison/baselines.js';
export type {
  ChangedCriterion,
  ComparedScore,
  CompareRuns,
  MeasuredRun,
  NoVerdict,
  RunComparison,
  TaskPair,
} from './wire/vendor/comparison/comparison.js';
export type { HistoryPoint, SuiteHistory } from './wire/vendor/comparison/history.js';
export type {
  Agreement,
  Confusion,
  DisputedCriterion,
  JudgeComparison,
} from './wire/vendor/comparison/judge-comparison.js';
export type { ScoreOverride } from './wire/vendor/comparison/score-overrides.js';
export type {
  AgentVersion,
  AuditCheckpoint,
  AuditListing,
  AuditVerdict,
  InterruptQuestion,
  InterruptToken,
  NewInterruptToken,
  ResolvedInterrupt,
  RunArtifact,
} from './wire/vendor/deployments.js';
export type { JudgeListing, PortableJudge, QuestionPart } from './wire/vendor/judge.js';
export type { Look, LookAtRuns, LooksReport } from './wire/vendor/looks.js';
export type { HostCounts, Matrix, MatrixCell, MatrixRow, MatrixRun } from './wire/vendor/matrix.js';
export type {
  EmbedderPin,
  Interval,
  JudgeIdentity,
  ModelParameters,
  ModelPin,
  ScorerPin,
  SimulatedUser,
} from './wire/vendor/parts.js';
export { REASONING_EFFORTS } from './wire/vendor/parts.js';
export type { ContractReport, ReportedGate } from './wire/vendor/report/contract-report.js';
export type { ChangedTask, ReportedRegression } from './wire/vendor/report/regression.js';
export type { EvalReport, ReportedSlice } from './wire/vendor/report/report.js';
export type {
  ReportedAdjustment,
  ReportedCorrection,
  ReportedCriterion,
  ReportedOverride,
  ReportedRepeats,
} from './wire/vendor/report/report-parts.js';
export type { KeptReason, PrunedRuns, PruneRuns, TenantUsage, WorkerEntry } from './wire/vendor/retention.js';
export type {
  JudgeAgreement,
  JudgeAgreements,
  JudgeCalibration,
  LabelAgreement,
  ReviewItem,
  ReviewList,
} from './wire/vendor/review.js';
export type {
  BulkCancelResult,
  CreatedRun,
  ForkedRun,
  ForkRun,
  RejudgeRun,
  RunAnswer,
  RunPreview,
  TaskView,
  ToolCallView,
} from './wire/vendor/runs.js';
export type { PageSession, SessionFacts } from './wire/vendor/sessions.js';
export type { SuiteTaskList, SuiteTaskListing, SuiteTaskView } from './wire/vendor/suite-tasks.js';
export type { TaskEvents, TaskSpan } from './wire/vendor/task-events.js';
export type { SearchTasks } from './wire/vendor/task-search.js';
export type { Histogram, TaskBodies, TaskFacets, TaskList, TaskListing } from './wire/vendor/tasks.js';
export type { NewWebhook, RegisteredWebhook, Webhook } from './wire/vendor/webhooks.js';
