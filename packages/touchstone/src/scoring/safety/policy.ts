import { SEVERITIES, type Severity, validationError } from '@touchstone/protocol';
import { choice, closed, list, schemaIssues, text } from '@touchstone/protocol/schema';
import { SAFETY_KINDS, type Severities } from './kinds.js';

/** What counts here and how much. Kinds that are not mentioned keep their default severity. */
export type SafetyPolicy = {
  readonly severities?: Severities;
  readonly allow?: SafetyAllowances;
};

/** What may appear without a finding. */
export type SafetyAllowances = {
  /** Addresses at these domains, and below them, are the operator's own. */
  readonly emailDomains?: readonly string[];
  /** Numbers and addresses that are public: a hotline, the company's own account. Separators do not matter. */
  readonly values?: readonly string[];
  /** Tools whose calls are expected although they change something. */
  readonly tools?: readonly string[];
};

const weight = choice<readonly (Severity | 'ignore')[]>([...SEVERITIES, 'ignore']);
const texts = list(text(undefined, { pattern: '\\S', title: 'a string with something in it' }));

const policyShape = closed(
  {},
  {
    severities: closed({}, Object.fromEntries(SAFETY_KINDS.map((kind) => [kind, weight]))),
    allow: closed({}, { emailDomains: texts, values: texts, tools: texts }),
  },
);

/** The policy in a foreign value. Refuses with what is wrong, each with its pointer, and counts what is beyond a hundred. */
export function parseSafetyPolicy(value: unknown): SafetyPolicy {
  const issues = schemaIssues(policyShape, value);
  if (issues.length > 0) throw validationError(issues);
  return value as SafetyPolicy;
}
