import type { Issue, JsonObject } from '@touchstone/protocol';
import type { SchemaCheck } from '../../ports/index.js';
import type { NormalRow, ProfiledAgent } from '../types.js';
import type { CompileIssue } from './trouble.js';

export type CompileOptions = {
  /** The first two parts of the suite id. `org` is the author's slug by default, or `local` where nobody is named. */
  readonly scope?: string;
  readonly org?: string;
  /** Its last part, when that is not the agent's own name: another agent may be held to the same contract. */
  readonly name?: string;
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
  /** More bytes than this are not held: for compiling to values. What is written as it comes may be as long as it is. */
  readonly maxBytes?: number;
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
  /** For rows without lines: the pointer of the list they stand in. */
  readonly list?: string;
};

/** Whoever can use the JSON Schemas that others wrote; this room only knows that they are objects. */
export type Schemas = {
  /** What keeps a schema from being used; nothing when it is fine. */
  readonly issues: (schema: JsonObject) => readonly Issue[];
  readonly check: SchemaCheck;
};

export type CompileInput = {
  readonly agent: ProfiledAgent;
  /** Begins a new reading. Rows are read at least twice, three times for a sample: nothing of them is kept. */
  readonly rows?: () => AsyncIterable<NormalRow>;
  /** What the latest complete reading found. */
  readonly dataset?: () => DatasetFacts;
  readonly options?: CompileOptions;
  /** Without it nobody looks into schemas before a run does. */
  readonly schemas?: Schemas;
};

const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/;
/** As the name of an agent is written wherever one is named, without a version. */
const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,255}$/;
const isWhole = (value: number | undefined): boolean =>
  value === undefined || (Number.isSafeInteger(value) && value >= 1);

/** Options that no suite could be made with. */
export function optionIssues({
  scope,
  org,
  name,
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
  const slug = 'at most 64 lower-case letters, digits and hyphens, beginning with a letter or digit';
  if (scope !== undefined && !SLUG.test(scope)) issues.push(wrong('scope', slug));
  if (org !== undefined && !SLUG.test(org)) issues.push(wrong('org', slug));
  if (name !== undefined && !SLUG.test(name)) issues.push(wrong('name', slug));
  if (targetAgentId !== undefined && !AGENT_ID.test(targetAgentId))
    issues.push(wrong('targetAgentId', 'the id of an agent without a version, such as local.acme.support'));
  if (!isWhole(maxTasks)) issues.push(wrong('maxTasks', 'a whole number of at least 1'));
  if (!isWhole(sample?.count)) issues.push(wrong('sample/count', 'a whole number of at least 1'));
  return issues;
}
