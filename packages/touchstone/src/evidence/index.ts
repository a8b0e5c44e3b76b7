export { type ChainRange, type ChainResult, createChainCheck } from './audit-chain.js';
export { readSegment, type SegmentLine, segmentText } from './audit-segment.js';
export {
  type BundleFacts,
  type BundleFiles,
  openBundle,
  sealBundle,
  sha256Hex,
} from './bundle.js';
export { checkpointOf, openCheckpoint, sealCheckpoint } from './checkpoint.js';
export { namedBySignature } from './dsse.js';
export { type OpenedEnvelope, openEnvelope, sealStatement } from './envelope.js';
export {
  createSigningKey,
  isNamedBy,
  keyIdOf,
  publicKeyOf,
  readPrivateKey,
  type Signing,
  type TrustedKey,
  vouchesForPack,
} from './keys.js';
export { statementOf } from './statement.js';
export {
  openSuiteEnvelope,
  type SignedSuite,
  type SuiteEnvelopeReading,
  sealSuite,
} from './suite-envelope.js';
