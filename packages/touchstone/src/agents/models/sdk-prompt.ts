import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import { defined, type JsonObject, type ModelParameters } from '@touchstone/protocol';
import type { Message, ProviderKind, Question, ReplyPart } from './model.js';
import { parseArguments } from './sdk-reply.js';

type AssistantPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number];

/**
 * Schemas of authors are seldom written in the narrow dialect that providers call strict, and would be refused. The
 * host checks the answer anyway.
 */
const LENIENT: SharedV3ProviderOptions = {
  openai: { strictJsonSchema: false },
  openaiCompatible: { strictJsonSchema: false },
};

export function toCallOptions(
  question: Question,
  kind: ProviderKind,
  signal: AbortSignal,
): LanguageModelV3CallOptions {
  const { tools } = question;
  return {
    prompt: question.messages.map(toSdkMessage),
    providerOptions: withEffort(question, LENIENT),
    abortSignal: signal,
    ...settingsOf(question),
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function' as const, ...tool })) }),
    ...formatOf(question, kind),
  };
}

const settingsOf = (asked: ModelParameters): Partial<LanguageModelV3CallOptions> => {
  const { temperature, topP, seed, frequencyPenalty, presencePenalty } = asked;
  return defined({
    ...{ temperature, topP, seed, frequencyPenalty, presencePenalty },
    maxOutputTokens: asked.maxTokens,
    stopSequences: asked.stop && [...asked.stop],
  });
};

/** Providers call it by different names; each package reads its own. */
function withEffort(
  { reasoningEffort }: ModelParameters,
  options: SharedV3ProviderOptions,
): SharedV3ProviderOptions {
  if (reasoningEffort === undefined) return options;
  return {
    openai: { ...options.openai, reasoningEffort },
    openaiCompatible: { ...options.openaiCompatible, reasoningEffort },
    anthropic: { effort: reasoningEffort },
    google: { thinkingConfig: { thinkingLevel: reasoningEffort } },
  };
}

/** Gemini refuses a response schema beside tools; there the schema is told in words. */
function formatOf(
  { returnSchema, tools, messages }: Question,
  kind: ProviderKind,
): Partial<LanguageModelV3CallOptions> {
  if (!returnSchema) return {};
  if (kind !== 'google' || tools.length === 0)
    return { responseFormat: { type: 'json', schema: returnSchema } };
  const [first] = messages;
  const system = first?.role === 'system' ? `${first.text}\n\n` : '';
  const rest = first?.role === 'system' ? messages.slice(1) : messages;
  const text = `${system}Give the final answer as JSON alone, valid against this JSON Schema: ${JSON.stringify(returnSchema)}`;
  return { prompt: [{ role: 'system', content: text }, ...rest.map(toSdkMessage)] };
}

function toSdkMessage(message: Message): LanguageModelV3Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] };
    case 'assistant':
      return { role: 'assistant', content: message.said.map(toSdkPart) };
    case 'tools':
      return {
        role: 'tool',
        content: message.results.map(({ callId, name, result }) => ({
          type: 'tool-result',
          toolCallId: callId,
          toolName: name,
          output: { type: 'json', value: copyOf(result) },
        })),
      };
  }
}

function toSdkPart(part: ReplyPart): AssistantPart {
  const carried = part.carried && { providerOptions: part.carried as unknown as SharedV3ProviderOptions };
  if (part.kind !== 'call') return { type: part.kind, text: part.text, ...carried };
  const { id, name, argumentsText } = part;
  // What was not JSON cannot be said again; the error that stands as its result tells the model so.
  const input = parseArguments(argumentsText) ?? {};
  return { type: 'tool-call', toolCallId: id, toolName: name, input, ...carried };
}

/** Their JSON type is not readonly. */
const copyOf = (value: JsonObject) => value as unknown as SharedV3ProviderOptions[string];
