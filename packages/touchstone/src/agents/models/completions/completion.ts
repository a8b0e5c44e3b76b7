import { isObject, type UnknownObject } from '@touchstone/protocol';

type Maybe<T> = T | null | undefined;

/** What is read of a chat completion. Whatever else it holds is not looked at. */
export type Completion = {
  readonly choices: readonly Choice[];
  readonly usage?: Maybe<{
    readonly prompt_tokens?: Maybe<number>;
    readonly completion_tokens?: Maybe<number>;
    readonly prompt_tokens_details?: Maybe<{ readonly cached_tokens?: Maybe<number> }>;
  }>;
};
type Choice = {
  readonly message: {
    readonly content?: Maybe<string | readonly ContentPart[]>;
    readonly reasoning_content?: Maybe<string>;
    readonly reasoning?: Maybe<string>;
    readonly tool_calls?: Maybe<readonly CompletionCall[]>;
  };
  readonly finish_reason?: Maybe<string>;
};
export type ContentPart = { readonly type: string; readonly [member: string]: unknown };
export type CompletionCall = {
  readonly id?: Maybe<string>;
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: Maybe<{
    readonly google?: Maybe<{ readonly thought_signature?: Maybe<string> }>;
  }>;
};

/** Whether every member that is read has its type: an answer that is read in part would pass for another one. */
export const isCompletion = (value: unknown): value is Completion =>
  isObject(value) &&
  isAbsentOr(isText, value.id) &&
  isAbsentOr(isNumber, value.created) &&
  isAbsentOr(isText, value.model) &&
  isListOf(isChoice, value.choices) &&
  isAbsentOr(isUsage, value.usage);

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isNumber: Test = (value) => Number.isFinite(value);
const isAbsentOr = (test: Test, value: unknown): boolean =>
  value === undefined || value === null || test(value);
const isListOf = (test: Test, value: unknown): boolean => Array.isArray(value) && value.every(test);
const hasCounts = (value: UnknownObject, names: readonly string[]): boolean =>
  names.every((name) => isAbsentOr(isNumber, value[name]));

const isChoice: Test = (value) =>
  isObject(value) && isMessage(value.message) && isAbsentOr(isText, value.finish_reason);

const isMessage: Test = (value) =>
  isObject(value) &&
  isAbsentOr((role) => role === 'assistant', value.role) &&
  isAbsentOr(isContent, value.content) &&
  isAbsentOr(isText, value.reasoning_content) &&
  isAbsentOr(isText, value.reasoning) &&
  isAbsentOr((calls) => isListOf(isCall, calls), value.tool_calls);

const isContent: Test = (value) =>
  isText(value) || isListOf((part) => isObject(part) && isText(part.type), value);

const isCall: Test = (value) =>
  isObject(value) &&
  isAbsentOr(isText, value.id) &&
  isObject(value.function) &&
  isText(value.function.name) &&
  isText(value.function.arguments) &&
  isAbsentOr(isExtra, value.extra_content);

const isExtra: Test = (value) => isObject(value) && isAbsentOr(isSigned, value.google);
const isSigned: Test = (value) => isObject(value) && isAbsentOr(isText, value.thought_signature);

const isUsage: Test = (value) =>
  isObject(value) &&
  hasCounts(value, ['prompt_tokens', 'completion_tokens', 'total_tokens']) &&
  isAbsentOr(
    (details) => isObject(details) && hasCounts(details, PROMPT_COUNTS),
    value.prompt_tokens_details,
  ) &&
  isAbsentOr(
    (details) => isObject(details) && hasCounts(details, ANSWER_COUNTS),
    value.completion_tokens_details,
  );

const PROMPT_COUNTS = ['cached_tokens'];
const ANSWER_COUNTS = ['reasoning_tokens', 'accepted_prediction_tokens', 'rejected_prediction_tokens'];
