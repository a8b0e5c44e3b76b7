export { barOf } from './contract/applied.js';
export { createContractScorer } from './contract/scorer.js';
export { contractTerms } from './contract/terms.js';
export { createModelJudge, judgeIdentity } from './rubric/judge.js';
export { criterionTrouble } from './rubric/trouble.js';
export { maskSecrets, parseSafetyPolicy, type SafetyPolicy } from './safety/index.js';
export { createScoring } from './scoring.js';
