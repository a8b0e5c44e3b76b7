// The types of built schemas, so that a declaration file that infers one names this package and not TypeBox.
export type {
  TArray,
  TBoolean,
  TEnum,
  TInteger,
  TLiteral,
  TNumber,
  TObject,
  TOptional,
  TString,
  TUnknown,
  TUnsafe,
} from 'typebox';
export * from './build.js';
export { issueAt, parseAs, schemaIssues } from './check.js';
