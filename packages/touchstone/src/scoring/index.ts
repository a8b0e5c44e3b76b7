export { createModelJudge, judgeIdentity } from './rubric/judge.js';
export { criterionTrouble } from './rubric/trouble.js';
export { maskSecrets, parseSafetyPolicy, type SafetyPolicy } from './safety/index.js';
export { createScoring } from './scoring.js';
