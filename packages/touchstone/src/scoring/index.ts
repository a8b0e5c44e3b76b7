export { contractTerms, contractThreshold } from './contract/applied.js';
export { createContractScorer } from './contract/scorer.js';
export { criteriaOf } from './rubric/criteria.js';
export { criterionIssues } from './rubric/criterion-issues.js';
export { createModelJudge, judgeIdentity, portableIdentity, STANDARD_JUDGE } from './rubric/judge.js';
export {
  MASK as MASKED,
  MASKING,
  maskSecrets,
  SAFETY_KINDS,
  type SafetyPolicy,
} from './safety/index.js';
export { createScoring } from './scoring.js';
export { scoringWork } from './work.js';
