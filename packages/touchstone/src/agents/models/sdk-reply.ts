import type {
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3Warning,
} from '@ai-sdk/provider';
import { isUnsound, type Json, type JsonObject, type ModelParameters, parseJson } from '@touchstone/protocol';
import type { Usage } from '../../ports/index.js';
import type { ModelIdentity, Reply, ReplyPart } from './model.js';

/** The answer of a model, as the provider packages put it: from one response or gathered from a stream. */
export type SdkAnswer = {
  readonly content: readonly LanguageModelV3Content[];
  readonly finishReason: LanguageModelV3FinishReason;
  readonly usage: CountedTokens;
  /** Words of a refusal that the package itself does not pass on. */
  readonly refusal: string;
  readonly warnings: readonly SharedV3Warning[];
};

/** What is read of their counts. */
type CountedTokens = {
  readonly inputTokens: Partial<
    Pick<LanguageModelV3Usage['inputTokens'], 'total' | 'cacheRead' | 'cacheWrite'>
  >;
  readonly outputTokens: Partial<Pick<LanguageModelV3Usage['outputTokens'], 'total'>>;
};

export function replyOf(answer: SdkAnswer, identity: ModelIdentity): Reply {
  const said = answer.content.flatMap(saidPart);
  const text = textOf(said, 'text');
  const finish = answer.finishReason.unified;
  return {
    kind: 'reply',
    text: text === '' ? answer.refusal : text,
    reasoning: textOf(said, 'reasoning'),
    toolCalls: said.flatMap((part) =>
      part.kind === 'call'
        ? [{ id: part.id, name: part.name, inputs: parseArguments(part.argumentsText) }]
        : [],
    ),
    refused: finish === 'content-filter' || answer.refusal !== '',
    finish,
    usage: usageOf(answer.usage, identity),
    said,
    ...ignoredIn(answer.warnings),
  };
}

/** Parameters by the names that the packages have for them. */
const FEATURES: { readonly [feature: string]: keyof ModelParameters } = {
  temperature: 'temperature',
  topP: 'topP',
  maxOutputTokens: 'maxTokens',
  seed: 'seed',
  stopSequences: 'stop',
  frequencyPenalty: 'frequencyPenalty',
  presencePenalty: 'presencePenalty',
  reasoningEffort: 'reasoningEffort',
};

/** A package that knows better than its provider leaves parameters out, and only warns. */
function ignoredIn(warnings: readonly SharedV3Warning[]): Pick<Reply, 'ignored'> {
  const ignored = warnings.flatMap((one) =>
    one.type === 'unsupported' && Object.hasOwn(FEATURES, one.feature)
      ? [FEATURES[one.feature] as string]
      : [],
  );
  return ignored.length > 0 ? { ignored } : {};
}

export const answerOf = (result: LanguageModelV3GenerateResult): SdkAnswer => ({
  content: result.content,
  finishReason: result.finishReason,
  usage: result.usage,
  refusal: refusalIn(result.response?.body, 'message'),
  warnings: result.warnings,
});

/** The stream ended before the model had. */
class BrokenOff extends Error {
  readonly code = 'the answer broke off';
}

/** Everything a stream said, as if it had come at once. What is cut short, or interrupted by an error, is a lost connection. */
export async function gather(stream: ReadableStream<LanguageModelV3StreamPart>): Promise<SdkAnswer> {
  const content: LanguageModelV3Content[] = [];
  const open = new Map<string, { type: 'text' | 'reasoning'; text: string }>();
  let refusal = '';
  let warnings: readonly SharedV3Warning[] = [];
  let end: Pick<SdkAnswer, 'finishReason' | 'usage'> | undefined;
  for await (const part of stream) {
    if (part.type === 'error') throw new BrokenOff();
    if (part.type === 'raw') refusal += refusalIn(part.rawValue, 'delta');
    else if (part.type === 'stream-start') warnings = part.warnings;
    else if (part.type === 'finish') end = part;
    else if (part.type === 'tool-call') content.push(part);
    else takeText(part, open, content);
  }
  // No package makes up a raw reason, so one that is missing was never sent.
  if (end?.finishReason.raw === undefined) throw new BrokenOff();
  return { content, finishReason: end.finishReason, usage: end.usage, refusal, warnings };
}

function takeText(
  part: LanguageModelV3StreamPart,
  open: Map<string, { type: 'text' | 'reasoning'; text: string; providerMetadata?: object }>,
  content: LanguageModelV3Content[],
): void {
  if (part.type === 'text-start' || part.type === 'reasoning-start') {
    const type = part.type === 'text-start' ? 'text' : 'reasoning';
    const begun = { type, text: '' } as const;
    open.set(part.id, begun);
    content.push(begun);
  }
  if (!('id' in part) || typeof part.id !== 'string') return;
  const block = open.get(part.id);
  if (!block) return;
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') block.text += part.delta;
  if ('providerMetadata' in part && part.providerMetadata)
    block.providerMetadata = { ...block.providerMetadata, ...part.providerMetadata };
}

function saidPart(part: LanguageModelV3Content): readonly ReplyPart[] {
  const carried =
    'providerMetadata' in part && part.providerMetadata
      ? { carried: JSON.parse(JSON.stringify(part.providerMetadata)) as JsonObject }
      : {};
  if (part.type === 'text' || part.type === 'reasoning')
    return [{ kind: part.type, text: part.text, ...carried }];
  if (part.type !== 'tool-call') return [];
  return [{ kind: 'call', id: part.toolCallId, name: part.toolName, argumentsText: part.input, ...carried }];
}

const textOf = (said: readonly ReplyPart[], kind: 'text' | 'reasoning'): string =>
  said.map((part) => (part.kind === kind ? part.text : '')).join('');

/** Models that mean "no arguments" often write nothing at all. */
export function parseArguments(text: string): Json | undefined {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  return isUnsound(value) ? undefined : value;
}

function usageOf({ inputTokens, outputTokens }: CountedTokens, identity: ModelIdentity): Usage {
  const read = tokens(inputTokens.cacheRead);
  const written = tokens(inputTokens.cacheWrite);
  return {
    provider: identity.provider,
    model: identity.model,
    inputTokens: tokens(inputTokens.total),
    outputTokens: tokens(outputTokens.total),
    ...(!(isCount(inputTokens.total) && isCount(outputTokens.total)) && { uncounted: true as const }),
    ...(read > 0 && { cacheReadTokens: read }),
    ...(written > 0 && { cacheWriteTokens: written }),
  };
}

const isCount = (count: number | undefined): count is number =>
  count !== undefined && Number.isSafeInteger(count) && count >= 0;

const tokens = (count: number | undefined): number => (isCount(count) ? count : 0);

/** `choices[0].<message|delta>.refusal`, where OpenAI and those who imitate it put the words of a refusal. */
export function refusalIn(body: unknown, member: 'message' | 'delta'): string {
  const choices = (body as { choices?: unknown } | null | undefined)?.choices;
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const said = (first as { [name: string]: unknown } | null | undefined)?.[member];
  const refusal = (said as { refusal?: unknown } | null | undefined)?.refusal;
  return typeof refusal === 'string' ? refusal : '';
}
