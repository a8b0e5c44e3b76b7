import type { CheckWork, SchemaFit } from '../ports/index.js';
import { answerChecks } from './checks/work.js';
import { measureCriteria } from './contract/measure.js';
import { NEAREST_WORDS } from './contract/similarity.js';
import { GOLDEN } from './golden.js';
import { PATTERN_PROBLEM } from './rubric/pattern.js';
import { MASKING, SECRETS, UNSAFE } from './safety/index.js';

/** Every check of this module that a thread can do. */
export const scoringWork = (schemaCheck: SchemaFit) =>
  [
    GOLDEN,
    answerChecks(schemaCheck),
    measureCriteria(schemaCheck),
    NEAREST_WORDS,
    PATTERN_PROBLEM,
    UNSAFE,
    SECRETS,
    MASKING,
  ] as unknown as readonly CheckWork<unknown, unknown>[];
