export { buildPack, signPack } from './packs/build-pack.js';
export { findPacks, looksLikePack } from './packs/find-packs.js';
export { checkPackIdentity, checkPackName, checkPackVersion } from './packs/identity.js';
export { inputWarnings } from './packs/input-warnings.js';
export { checkPackIntegrity } from './packs/integrity.js';
export { type OpenedPack, openPack, openPackFiles, type PackOptions } from './packs/open-pack.js';
export type { PackAgent } from './packs/pack-agents.js';
export { readPackFolder } from './packs/pack-folder.js';
export { type PackProfile, profileFilesOf, readPackProfiles } from './packs/profile-files.js';
export { placeInPack } from './packs/profile-places.js';
export { placeOf, profileRefusal } from './packs/profile-refusal.js';
export { parseTrust, type Trust } from './packs/trust.js';
export { verifyPack } from './packs/verify-pack.js';
export { parseSuite, suiteDocument } from './parse-suite.js';
export {
  type CompileInput,
  type CompileOptions,
  type ContractHead,
  compileProfile,
  compileToWriters,
  type Sinks,
  type Written,
} from './profiles/compile/index.js';
export { shortSlugOf } from './profiles/compile/slug.js';
export { profilePointer } from './profiles/compile/suite-frame.js';
export { readContract } from './profiles/contract/read-contract.js';
export { shareSchemas } from './profiles/contract/share-schemas.js';
export { decodeDataUri } from './profiles/datasets/data-uri.js';
export { datasetError, datasetUnavailable } from './profiles/datasets/errors.js';
export { normaliseRows } from './profiles/datasets/given-rows.js';
export { type DatasetLock, lockFile, readLock, writeLock } from './profiles/datasets/lock.js';
export { decidePin } from './profiles/datasets/pins.js';
export { type DatasetRows, readRows } from './profiles/datasets/read-rows.js';
export { type DatasetUri, parseDatasetUri } from './profiles/datasets/uri.js';
export {
  agentDefinition,
  agentManifest,
  evaluationProfile,
  successCriterion,
  withChange,
} from './profiles/definition/builders.js';
export { evaluationCard } from './profiles/definition/card.js';
export { dumpDefinition, dumpProfile } from './profiles/definition/dump.js';
export {
  type LoadedDefinition,
  parseDefinition,
  readDefinition,
  readProfile,
} from './profiles/definition/read-definition.js';
export { looksLikeDefinition } from './profiles/definition/recognise.js';
export { refsBelow } from './profiles/definition/ref-files.js';
export type { NormalRow, ProfiledAgent, ProfileWarning } from './profiles/types.js';
export { readSuite } from './read-suite.js';
export { type AgentReference, parseAgentReference, parseSuiteReference } from './reference.js';
export { readRunLimits } from './run-options.js';
export { checkRunnable } from './runnable.js';
export { contractBeside, findSuiteFiles } from './suite-files.js';
export { highestVersion } from './versions.js';
