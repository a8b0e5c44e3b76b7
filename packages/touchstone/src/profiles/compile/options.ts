import { type HostError, type Issue, type JsonObject, validationError } from '@touchstone/protocol';
import type { MaybePromise, SchemaCheck } from '../../ports/index.js';
import type { DefinitionAgent, NormalRow } from '../types.js';

export type CompileOptions = {
  /** The first two parts of the suite id. `org` is the author's slug by default, or `local` where none is named. */
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
  /** Whether similarity may be compared word by word when there is no judge to ask. */
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

/** Uses the JSON Schemas of agents and rows; the compiler only knows that they are objects. */
export type Schemas = {
  /** What keeps a schema from being used; nothing when it is fine. */
  readonly issues: (schema: JsonObject) => MaybePromise<readonly Issue[]>;
  readonly check: SchemaCheck;
};

export type CompileInput = {
  readonly agent: DefinitionAgent;
  /** Begins a new reading. Rows are read at least twice, three times for a sample: nothing of them is kept. */
  readonly rows?: () => AsyncIterable<NormalRow>;
  /** What the latest complete reading found. */
  readonly dataset?: () => DatasetFacts;
  readonly options?: CompileOptions;
  /** Without it, schemas are not looked into before a run. */
  readonly schemas?: Schemas;
};

/** Why a profile cannot become a suite. Scripts read these, so they do not change. */
export type CompileCode =
  | 'no_profile'
  | 'no_tasks'
  | 'too_many_tasks'
  | 'suite_too_large'
  | 'too_many_criteria'
  | 'invalid_option'
  | 'invalid_version'
  | 'unsound_profile'
  | 'negative_latency'
  | 'negative_budget'
  | 'empty_criterion_name'
  | 'duplicate_criterion'
  | 'threshold_out_of_range'
  | 'latency_bound_missing'
  | 'strict_criterion_unused'
  | 'schema_missing'
  | 'invalid_schema'
  | 'input_mismatch'
  | 'duplicate_task'
  | 'unknown_criterion'
  | 'unknown_capability'
  | 'criterion_without_data'
  | 'row_without_expectation'
  | 'invalid_fixture'
  | 'unsound_row'
  | 'dataset_changed';

export type WarningCode =
  | 'version_shortened'
  | 'zero_latency'
  | 'judge_is_agent_model'
  | 'budget_missing'
  | 'threshold_always_met'
  | 'lower_is_better'
  | 'bound_not_found'
  | 'bound_disagrees'
  | 'criterion_unused'
  | 'criterion_not_applicable'
  | 'judged_without_reference'
  | 'expected_unused'
  | 'nothing_blocks';

export type CompileIssue = Issue & { readonly code: CompileCode };
export type CompileWarning = {
  readonly code: WarningCode;
  readonly message: string;
  readonly pointer?: string;
  readonly line?: number;
};

export const compileIssue = (code: CompileCode, message: string, pointer = ''): CompileIssue => ({
  pointer,
  message,
  code,
});

/** All issues are listed; the first one's code stands for the error. */
export function compileError(...issues: readonly CompileIssue[]): HostError {
  const code = issues[0]?.code;
  return validationError(issues, code === undefined ? {} : { code });
}

const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/;
/** As the name of an agent is written wherever one is named, without a version. */
const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,255}$/;

/** Options that no suite could be made with. */
export function optionIssues(options: CompileOptions): readonly CompileIssue[] {
  const { scope, org, name, targetAgentId, maxTasks, sample } = options;
  const slug = 'at most 64 lower-case letters, digits and hyphens, beginning with a letter or digit';
  const agentId = 'the id of an agent without a version, such as local.acme.support';
  const isWhole = (value: number) => Number.isSafeInteger(value) && value >= 1;
  const whole = 'a whole number of at least 1';
  const rules = [
    ...Object.entries({ scope, org, name }).map(
      ([member, value]) => [member, slug, value === undefined || SLUG.test(value)] as const,
    ),
    ['targetAgentId', agentId, targetAgentId === undefined || AGENT_ID.test(targetAgentId)] as const,
    ['maxTasks', whole, maxTasks === undefined || isWhole(maxTasks)] as const,
    ['sample/count', whole, sample === undefined || isWhole(sample.count)] as const,
  ];
  return rules
    .filter(([, , holds]) => !holds)
    .map(([member, expected]) =>
      compileIssue('invalid_option', `Expected ${expected}.`, `/options/${member}`),
    );
}
