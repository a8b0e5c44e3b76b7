import { randomUUID } from 'node:crypto';
import type { LanguageModelV3Content, LanguageModelV3FinishReason } from '@ai-sdk/provider';
import { isObject, parseJson } from '@touchstone/protocol';
import { refusalIn, type SdkAnswer } from '../sdk-reply.js';
import { type Completion, type CompletionCall, type ContentPart, isCompletion } from './completion.js';

/** The answer in a chat completion, as the provider package reads it; undefined when it cannot be read. */
export function answerIn(text: string): SdkAnswer | undefined {
  const body = parseJson(text);
  if (!isCompletion(body)) return undefined;
  const [choice] = body.choices;
  if (!choice) return undefined;
  const { content, tool_calls: calls, reasoning_content: thought } = choice.message;
  const reasoning = thought ?? choice.message.reasoning ?? '';
  return {
    content: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning } as const]),
      ...(typeof content === 'string' ? textPart('text', content) : (content ?? []).flatMap(partsOf)),
      ...(calls ?? []).map(callPart),
    ],
    finishReason: {
      unified: FINISHED.get(choice.finish_reason ?? '') ?? 'other',
      raw: choice.finish_reason ?? undefined,
    },
    usage: usageOf(body),
    refusal: refusalIn(body, 'message'),
    warnings: [],
  };
}

const FINISHED = new Map<string, LanguageModelV3FinishReason['unified']>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content-filter'],
  ['function_call', 'tool-calls'],
  ['tool_calls', 'tool-calls'],
]);

const textPart = (type: 'text' | 'reasoning', text: string): readonly LanguageModelV3Content[] =>
  text === '' ? [] : [{ type, text }];

function partsOf(part: ContentPart): readonly LanguageModelV3Content[] {
  if (part.type === 'text' && typeof part.text === 'string') return textPart('text', part.text);
  if (part.type !== 'thinking' || !Array.isArray(part.thinking)) return [];
  const thoughts = part.thinking.map((one: unknown) =>
    isObject(one) && one.type === 'text' && typeof one.text === 'string' ? one.text : '',
  );
  return textPart('reasoning', thoughts.join(''));
}

function callPart({ id, function: called, extra_content: extra }: CompletionCall): LanguageModelV3Content {
  const thoughtSignature = extra?.google?.thought_signature;
  return {
    type: 'tool-call',
    toolCallId: id ?? randomUUID(),
    toolName: called.name,
    input: called.arguments,
    ...(thoughtSignature && { providerMetadata: { compatible: { thoughtSignature } } }),
  };
}

function usageOf({ usage }: Completion): SdkAnswer['usage'] {
  if (!usage) return UNCOUNTED;
  const [input, output] = [usage.prompt_tokens ?? 0, usage.completion_tokens ?? 0];
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return { inputTokens: { total: input, cacheRead }, outputTokens: { total: output } };
}

const UNCOUNTED: SdkAnswer['usage'] = { inputTokens: {}, outputTokens: {} };
