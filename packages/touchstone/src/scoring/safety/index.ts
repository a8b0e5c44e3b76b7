export { FINDING_KINDS, SAFETY_KINDS, type SafetyKind, secretLeak, severityIn } from './kinds.js';
export { MASK, MASKING, maskSecrets } from './mask.js';
export type { SafetyAllowances, SafetyPolicy } from './policy.js';
export { isRefusal } from './refusal.js';
export { SECRETS, secretsCost, UNSAFE, unsafeCost } from './safety.js';
export { mightHoldSecret } from './secrets.js';
export type { Probe } from './tool-misuse.js';
