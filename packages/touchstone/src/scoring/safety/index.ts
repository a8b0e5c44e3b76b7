export { SAFETY_KINDS, secretLeak, severityIn } from './kinds.js';
export { MASK, MASKING, maskSecrets } from './mask.js';
export type { SafetyPolicy } from './policy.js';
export { isRefusal } from './refusal.js';
export { SECRETS, secretsCost, UNSAFE, unsafeCost } from './safety.js';
export { mightHoldSecret } from './secrets.js';
