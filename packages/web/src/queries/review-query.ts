import { REVIEW_SOURCES, type ReviewSource } from '@touchstone/protocol';
import type { ReviewQuery } from '@touchstone/sdk';

const DEFAULT_SOURCE: ReviewSource = 'failures';
export const DEFAULT_SAMPLE = { seed: 1, n: 50 };
const MOST = { seed: Number.MAX_SAFE_INTEGER, n: 1_000 };

export type ReviewAddress = {
  readonly query: ReviewQuery & { readonly source: ReviewSource };
  /** Names of members that make no sense. */
  readonly ignored: readonly string[];
};

/** What the address asks for. What makes no sense falls back to the default, and is named so that the page can say so. */
export function readReviewQuery(address: URLSearchParams): ReviewAddress {
  const ignored: string[] = [];
  const source = REVIEW_SOURCES.find((name) => name === address.get('source'));
  if (!source && address.has('source')) ignored.push('source');
  const number = (name: 'seed' | 'n'): number => {
    const text = address.get(name);
    if (text === null) return DEFAULT_SAMPLE[name];
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= (name === 'n' ? 1 : 0) && value <= MOST[name]) return value;
    ignored.push(name);
    return DEFAULT_SAMPLE[name];
  };
  const given = (['suiteId', 'agentId', 'runId'] as const).flatMap((name) => {
    const value = address.get(name);
    return value ? [[name, value]] : [];
  });
  const sample = { seed: number('seed'), n: number('n') };
  const query = {
    ...Object.fromEntries(given),
    source: source ?? DEFAULT_SOURCE,
    ...(source === 'sample' && sample),
  };
  return { query, ignored };
}
