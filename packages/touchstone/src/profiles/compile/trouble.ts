import { type HostError, type Issue, validationError } from '@touchstone/protocol';

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

/** All of them are listed; the first one's code stands for the error. */
export function compileError(issues: readonly CompileIssue[]): HostError {
  const code = issues[0]?.code;
  return validationError(issues, code === undefined ? {} : { code });
}
