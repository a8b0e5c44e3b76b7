// The door for commands that work without a server. It must stay free of Fastify, pino and everything else that only a
// server needs: `touchstone run` pays for each import with time its user waits.

export {
  createModels,
  createPaces,
  createSchemaCheck,
  type Models,
  parseModelNames,
  parseProviders,
  prepareModuleThread,
} from '../agents/index.js';
export { publicKeyOf, sealStatement, statementOf, type TrustedKey } from '../evidence/index.js';
export { readPackFiles } from './boot.js';
export { checkTrouble } from './check-trouble.js';
export { createTouchstone, type LocalTouchstone } from './compose.js';
export { type Config, loadConfig } from './config.js';
export { findConfigFile } from './config-file.js';
export { soundParts } from './config-parts.js';
export { openContract } from './contract-file.js';
export { definitionAgentId } from './definition-agent.js';
export { verifyAudit } from './deployments/verify-audit.js';
export { type CheckedScorecard, checkScorecardFile } from './import-scorecard.js';
export type { Judging } from './judging.js';
export { packOptions, trustOf } from './pack-policy.js';
export { compilePackProfiles, type PackContract } from './pack-profiles.js';
export type { InstalledPack } from './pack-shelf.js';
export { createProfileWriter, type ProfileSinks, type WrittenProfile } from './profiles.js';
export { readSafetyPolicy } from './safety-policy.js';
export { ownKey, readOwnKey, trustedKeyOf } from './signing-key.js';
export { systemClock } from './system.js';
export { readTaskEvaluators } from './task-evaluators.js';
export type * from './touchstone.js';
