import { MEASURE } from './contract/measure.js';
import { NEAREST_WORDS } from './contract/similarity.js';
import { GOLDEN } from './golden.js';
import { ANSWER_CHECKS } from './rubric/checks.js';
import { PATTERN_PROBLEM } from './rubric/pattern.js';
import { MASKING, SECRETS, UNSAFE } from './safety/index.js';

/** Every check of this module that a thread can do. */
export const SCORING_WORK = [
  GOLDEN,
  ANSWER_CHECKS,
  PATTERN_PROBLEM,
  MEASURE,
  NEAREST_WORDS,
  UNSAFE,
  SECRETS,
  MASKING,
] as const;
