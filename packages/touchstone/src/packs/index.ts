export { readTar, writeTar } from './archive/archive.js';
export { PACK_LIMITS } from './archive/file-table.js';
export { findPacks, looksLikePack, readPackFolder } from './archive/pack-folder.js';
export { buildPack, signPack } from './build-pack.js';
export { checkPackIdentity, checkPackName, checkPackVersion } from './manifest/identity.js';
export type { PackAgent } from './manifest/pack-agents.js';
export type { PackOptions, PackReading } from './open-pack.js';
export { inputWarnings, openPack, openPackFiles } from './open-pack.js';
export type { PackProfile } from './profile-files.js';
export {
  locateInPack,
  locationOf,
  profileFilesOf,
  profileRefusal,
  readPackProfiles,
} from './profile-files.js';
export { checkPackIntegrity } from './signing/signature.js';
export type { Trust } from './signing/trust.js';
export { parseTrust } from './signing/trust.js';
export { verifyPack } from './signing/verify-pack.js';
export { suiteIntegrity, verifySuite } from './signing/verify-suite.js';
