import { type Issue, isHostError } from '@touchstone/protocol';
import { suiteIssues } from '../../../app/index.js';
import type { FindTroubles } from '../../../importers/index.js';
import { readSuiteFile } from '../../../suites/index.js';

/** Everything that a run would refuse the suite for, by places in its authoring form. */
export const findTroubles: FindTroubles = async (suite) => {
  try {
    const reading = readSuiteFile(JSON.stringify(suite), { format: 'json' });
    const issues = await suiteIssues(reading.suite);
    return issues.map((issue) => ({ ...issue, pointer: reading.sourceOf(issue.pointer) }));
  } catch (error) {
    if (!isHostError(error) || !Array.isArray(error.details?.issues)) throw error;
    return error.details.issues as readonly Issue[];
  }
};
