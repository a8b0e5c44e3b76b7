export { parseSuite, suiteDocument } from './parse-suite.js';
export { readSuite } from './read-suite.js';
export { type AgentReference, parseAgentReference, parseSuiteReference } from './reference.js';
export { readRunLimits } from './run-options.js';
export { checkRunnable } from './runnable.js';
export { findSuiteFiles } from './suite-files.js';
export { highestVersion } from './versions.js';
