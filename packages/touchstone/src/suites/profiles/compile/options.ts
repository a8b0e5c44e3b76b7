import type { NormalRow, ProfiledAgent } from '../types.js';
import type { CompileIssue } from './trouble.js';

export type CompileOptions = {
  /** The first two parts of the suite id. `org` is the author's slug by default, or `local` where nobody is named. */
  readonly scope?: string;
  readonly org?: string;
  /** The agent's id on the host, when that is not its id in the definition. */
  readonly targetAgentId?: string;
  /** Whether the expected latency is a bar of the suite or only reported. */
  readonly sla?: 'gate' | 'warn';
  /** What becomes of an expected value that no criterion reads. */
  readonly implicitReference?: 'strict' | 'advisory' | 'off';
  /** Two tasks for a row with an expected value and criteria: one compared, one judged. Twice the cost. */
  readonly split?: boolean;
  /** Thresholds above 1 are percentages. */
  readonly percentThresholds?: boolean;
  /** More tasks than this are refused. */
  readonly maxTasks?: number;
  /** Takes this many rows of a longer dataset, the same ones for the same seed. */
  readonly sample?: { readonly count: number; readonly seed: string };
  /** Makes the policy's total cost a bar of the suite. */
  readonly budget?: boolean;
  /** Whether JSON may stand in one code fence. */
  readonly fenceTolerant?: boolean;
  /** Whether similarity may be compared word by word when there is nobody to ask. */
  readonly approximateSimilarity?: boolean;
};

export type DatasetFacts = {
  readonly uri?: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly format: 'json' | 'jsonl' | 'csv' | 'rows';
};

export type CompileInput = {
  readonly agent: ProfiledAgent;
  /** Begins a new reading. Rows are read at least twice, three times for a sample: nothing of them is kept. */
  readonly rows?: () => AsyncIterable<NormalRow>;
  /** What the latest complete reading found. */
  readonly dataset?: () => DatasetFacts;
  readonly options?: CompileOptions;
};

const SLUG = /^[a-z0-9][a-z0-9-]*$/;
const isWhole = (value: number | undefined): boolean =>
  value === undefined || (Number.isSafeInteger(value) && value >= 1);

/** Options that no suite could be made with. */
export function optionIssues({
  scope,
  org,
  targetAgentId,
  maxTasks,
  sample,
}: CompileOptions): readonly CompileIssue[] {
  const wrong = (member: string, expected: string): CompileIssue => ({
    pointer: `/options/${member}`,
    message: `Expected ${expected}.`,
    code: 'invalid_option',
  });
  const issues: CompileIssue[] = [];
  const slug = 'lower-case letters, digits and hyphens, beginning with a letter or digit';
  if (scope !== undefined && !SLUG.test(scope)) issues.push(wrong('scope', slug));
  if (org !== undefined && !SLUG.test(org)) issues.push(wrong('org', slug));
  if (targetAgentId === '') issues.push(wrong('targetAgentId', 'an agent id, got an empty string'));
  if (!isWhole(maxTasks)) issues.push(wrong('maxTasks', 'a whole number of at least 1'));
  if (!isWhole(sample?.count)) issues.push(wrong('sample/count', 'a whole number of at least 1'));
  return issues;
}
