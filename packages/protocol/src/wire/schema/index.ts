export * from './build.js';
export { parseAs, schemaIssues } from './check.js';
