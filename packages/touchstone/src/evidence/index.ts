export { type ChainRange, type ChainResult, createChainCheck } from './audit-chain.js';
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
