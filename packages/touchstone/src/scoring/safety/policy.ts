import type { Severities } from './kinds.js';

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
