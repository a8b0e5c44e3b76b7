export type { ReadRows, TaskNotes } from './authoring/authored-suite.js';
export { authoringMembers } from './authoring/authoring-members.js';
export {
  expectFor,
  isEmptyCell,
  ROW_EXPECTS,
  type RowExpect,
  rowCell,
  rowExpectation,
  rowTags,
} from './authoring/rows.js';
export { sentenceFor } from './authoring/sentences.js';
export { suiteFileSchema } from './authoring/suite-schema.js';
export { createTaskIds, taskSlug } from './authoring/task-ids.js';
export { digestOf, writeCanonical } from './digest.js';
export { cannedTools, readLongSuite } from './long-suite.js';
export { needsJudge } from './needs.js';
export { readPackPath, shownPath } from './pack-path.js';
export {
  parseSuite,
  readSuite,
  readSuiteFile,
  type SuiteReading,
  suiteDocument,
} from './parse-suite.js';
export {
  type AgentReference,
  highestInRange,
  highestVersion,
  isInRange,
  isLower,
  parseAgentReference,
  parseSuiteRange,
  parseSuiteReference,
} from './reference.js';
export { readRunLimits } from './run-options.js';
export { checkRunnable } from './runnable.js';
export { memorySeedIssues } from './semantics.js';

export { contractBeside, envelopeBeside, findSuiteFiles } from './suite-files.js';
export type { FileTextOptions, TextReading } from './text/read-text.js';
export { isJsonText, jsonOf, readFileText, readJsonText, utf8 } from './text/read-text.js';
export { keysIfSound, soundnessIssues } from './text/soundness.js';
