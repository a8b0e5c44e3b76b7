// The door for commands that work without a server. It must stay free of Fastify, pino and everything else that only a
// server needs: `touchstone run` pays for each import with time its user waits.

export type { TaskOrder } from '@touchstone/protocol/tasks';
export {
  checkBounded,
  createModels,
  createSchemaCheck,
  fillIn,
  type Models,
  type ModuleAgent,
  needsVariables,
  parseModelNames,
  parseProviders,
  parseScorers,
  readAnswers,
} from '../agents/index.js';
export { ENGINE_VERSION } from '../engine/index.js';
export {
  type BundleFiles,
  namedBySignature,
  openCheckpoint,
  publicKeyOf,
  sealBundle,
  sealStatement,
  sealSuite,
  segmentText,
  statementOf,
  type TrustedKey,
} from '../evidence/index.js';
export { createPaces, createSlots, shareOpenFiles } from '../net/index.js';
export { type JudgeDrift, measureDrift } from '../scorecard/index.js';
export { copyStore, isOpenToOthers } from '../store/index.js';
export { telemetrySettings } from '../telemetry/index.js';
export { type BundleVerdict, checkBundle, partsIn } from './bundle/check-bundle.js';
export { FILES, judgeFacts, type PartName, type Promotion } from './bundle/parts.js';
export { capabilitiesOf, type EvalCapability, evalCapability, IMPLEMENTED_MODES } from './capabilities.js';
export { GATED_AGENT_ID, readPackFiles, SAMPLE_AGENT_ID, STRICT_AGENT_ID } from './catalogue/boot.js';
export { openContract } from './catalogue/contracts.js';
export { definitionAgentId } from './catalogue/definition-agent.js';
export type { SuiteVisible } from './catalogue/entries.js';
export type { PackEntry } from './catalogue/pack-catalogue.js';
export { packOptions } from './catalogue/pack-policy.js';
export { compilePackProfiles, type PackContract } from './catalogue/pack-profiles.js';
export { createProfileWriter, type ProfileSinks, type WrittenProfile } from './catalogue/profiles.js';
export { createTouchstone } from './compose.js';
export { type Config, type ConfigInput, loadConfig, parseConfig } from './config/config.js';
export { findConfigFile } from './config/config-file.js';
export { soundParts, trustOf } from './config/config-parts.js';
export { configFileSchema } from './config/config-schema.js';
export { readSafetyPolicy } from './config/safety-policy.js';
export { ownKey, readOwnKey, signingKeyFile, trustedKeyOf } from './config/signing-key.js';
export { spanMs } from './config/span.js';
export { storeAddressOf } from './config/store-address.js';
export { createTrustedProxies, type TrustedProxies } from './config/trusted-proxies.js';
export { fillInParts } from './config/variables.js';
export { createDirectory, type Directory, verifyAudit } from './deployments/directory.js';
export {
  createInterruptTokens,
  DEFAULT_TOKEN_SEC,
  type InterruptTokens,
  type TokenClaim,
} from './deployments/interrupt-tokens.js';
export { createHeldBytes, createSharedBytes, type HeldBytes, type SharedBytes } from './held-bytes.js';
export {
  type Calibration,
  type CheckProgress,
  calibrate,
  type Judgement,
} from './judges/calibrate.js';
export { judgeFileSchema, parseJudge, readJudgeFile } from './judges/judge-file.js';
export { groupLabels, type LabelGroup, readLabels } from './judges/labels.js';
export { type KeptCalibration, labelsDigest } from './judges/records.js';
export { type EarlierCheck, readVerdicts } from './judges/verdicts.js';
export type { LimitCounts } from './limit-counts.js';
export { createMetrics, followRun, type Metrics, readStoredWork } from './metrics.js';
export { createOneTimeTokens, type OneTimeTokens } from './one-time-tokens.js';
export type { LocalTouchstone } from './parts/local-touchstone.js';
export {
  ANONYMOUS,
  bearerToken,
  checkScope,
  createKeyRing,
  hashKey,
  hasScope,
  type KeyId,
  type KeyLoss,
  type KeyRing,
  type KnownKey,
  keyIdOf,
  unauthenticated,
} from './principal.js';
export { createRateLimiter, createSharedRateLimiter, type RateLimiter } from './rate-limiter.js';
export { openRegistry, type SuiteRegistry } from './registries/registry.js';
export {
  EMPTY_INDEX,
  INDEX_FILE,
  type PublishedSuite,
  publishedOf,
  type RegistryIndex,
  readIndex,
  withPublished,
  writeIndex,
} from './registries/registry-index.js';
export { LOCK_FILE, readSuiteLock, type SuitePin, withPin, writeSuiteLock } from './registries/suite-lock.js';
export { type Annotations, annotationWire } from './review/annotations.js';
export { type CreateRunBody, evaluationOff } from './runs/plan-run.js';
export { suiteIssues } from './runs/task-criteria.js';
export { USAGE_WORKFLOW, WORKFLOW_DEFINITIONS } from './runs/workflow-definitions.js';
export { createSessions, type SessionHalves, type Sessions } from './sessions.js';
export { systemClock, systemIds } from './system.js';
export { createTenantTurns } from './tenant-turns.js';
export type { Touchstone } from './touchstone.js';
export { type CheckedScorecard, checkScorecardFile } from './views/import-scorecard.js';
export { comparableLine } from './views/log-normalisation.js';
export type { ReportOptions } from './views/report.js';
export { readSummary, readSummaryTotals } from './views/run-measurement.js';
export { snapshotOf } from './views/snapshot.js';
export { findSuiteTask, listSuiteTasks } from './views/suite-tasks.js';
export type { EvalRun } from './views/tasks/task-table.js';
export { isEval } from './views/tasks/task-table.js';
export { createWebhooks, type Webhooks, webhookGuard } from './webhooks/webhooks.js';
