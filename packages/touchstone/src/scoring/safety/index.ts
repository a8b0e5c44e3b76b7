export { FINDING_KINDS, SAFETY_KINDS, type SafetyKind, secretLeak, severityIn } from './kinds.js';
export { maskSecrets } from './mask.js';
export type { SafetyAllowances, SafetyPolicy } from './policy.js';
export { isRefusal } from './refusal.js';
export { createSafety, type Safety } from './safety.js';
export { mightHoldSecret } from './secrets.js';
export type { Probe } from './tool-misuse.js';
