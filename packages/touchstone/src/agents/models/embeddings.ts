import { type EmbedderPin, isObject } from '@touchstone/protocol';
import type { Usage } from '../../ports/index.js';

type Vector = readonly number[];
type Embeddings = { readonly vectors?: readonly Vector[]; readonly usage?: Usage };

/** What an embeddings endpoint answered: vectors in the order of the texts, if they can be used, and what they cost. */
export function readEmbeddings(text: string, count: number, pin: EmbedderPin): Embeddings {
  const answer = parsed(text);
  if (!isObject(answer)) return {};
  const vectors = vectorsOf(answer.data, count);
  return { usage: usageOf(answer.usage, pin), ...(vectors && { vectors }) };
}

/** An entry without an index stands for the text at its own place. */
function vectorsOf(data: unknown, count: number): readonly Vector[] | undefined {
  if (!Array.isArray(data) || data.length !== count) return undefined;
  const vectors = new Map<number, Vector>();
  for (const [place, entry] of data.entries()) {
    const { index = place, embedding } = isObject(entry) ? entry : {};
    const isPlace = Number.isInteger(index) && (index as number) >= 0 && (index as number) < count;
    if (!isPlace || vectors.has(index as number) || !isVector(embedding)) return undefined;
    vectors.set(index as number, embedding);
  }
  const inOrder = data.map((_, place) => vectors.get(place) as Vector);
  return inOrder.every(({ length }) => length === inOrder[0]?.length) ? inOrder : undefined;
}

/** A vector of zeros points nowhere. */
const isVector = (value: unknown): value is Vector =>
  Array.isArray(value) && value.every(Number.isFinite) && value.some((number) => number !== 0);

function usageOf(usage: unknown, { provider, model }: EmbedderPin): Usage {
  const { prompt_tokens: prompt, total_tokens: total } = isObject(usage) ? usage : {};
  const inputTokens = [prompt, total].find(isCount);
  return {
    provider,
    model,
    inputTokens: inputTokens ?? 0,
    outputTokens: 0,
    ...(inputTokens === undefined && { uncounted: true as const }),
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
