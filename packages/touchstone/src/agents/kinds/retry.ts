import type { PostResult } from '../../net/index.js';
import type { Answer, Random } from '../../ports/index.js';
import { failed, unreachable } from './answers.js';

export type RetryLimits = {
  /** Requests made for one turn before the agent counts as unreachable. */
  readonly maxTries: number;
  /** Time after the first request in which another try may still begin. */
  readonly withinMs: number;
};
export const DEFAULT_RETRIES: RetryLimits = { maxTries: 4, withinMs: 20_000 };

/** How far the tries for one request have got. Waits that the provider asked for are not held against it. */
export type Tries = { readonly made: number; readonly spentMs: number };

export type NextTry =
  | { readonly kind: 'give'; readonly reply: { readonly kind: 'text'; readonly text: string } | Answer }
  /** `asked`: the provider named the wait itself, so everyone waits, and for as long as it says. */
  | { readonly kind: 'wait'; readonly ms: number; readonly asked: boolean };

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** Shorter waits than this are not worth a timer. */
const SHORTEST_ASKED_MS = 100;
const LONGEST_ASKED_MS = 86_400_000;

/**
 * What follows from one response. Connection loss, 429 and 5xx are worth another try; any other refusal is the agent's
 * own answer, and asking again would only count it twice.
 */
export function nextTry(
  result: PostResult,
  tries: Tries,
  limits: RetryLimits,
  random: Random,
  now: number,
  who = 'The agent',
): NextTry {
  const settled = settledReply(result, who);
  if (settled) return { kind: 'give', reply: settled };
  const backoffMs = jittered(FIRST_DELAY_MS * 2 ** (tries.made - 1), random);
  const askedMs =
    result.kind === 'response' && result.status === 429 ? parseRetryAfter(result.retryAfter, now) : undefined;
  if (askedMs !== undefined) {
    // "At once" has just been tried; any other wait is taken at its word.
    const ms = askedMs === 0 ? backoffMs : Math.max(askedMs, SHORTEST_ASKED_MS);
    return { kind: 'wait', ms, asked: true };
  }
  const exhausted = tries.made >= limits.maxTries || tries.spentMs + backoffMs > limits.withinMs;
  if (exhausted) return { kind: 'give', reply: unreachable(whyUnreachable(result, tries, who)) };
  return { kind: 'wait', ms: backoffMs, asked: false };
}

function settledReply(
  result: PostResult,
  who: string,
): { readonly kind: 'text'; readonly text: string } | Answer | undefined {
  if (result.kind === 'lost') return undefined;
  if (result.kind !== 'response') return failed(result.reason);
  const { status, text } = result;
  if (status >= 200 && status < 300) return { kind: 'text', text };
  if (status >= 300 && status < 400)
    return failed(`${who} answered with a redirect (HTTP ${status}); none is followed.`);
  return status === 429 || status >= 500 ? undefined : failed(`${who} answered with HTTP ${status}.`);
}

function whyUnreachable(result: PostResult, { made }: Tries, who: string): string {
  const last =
    result.kind === 'response'
      ? `HTTP ${result.status}`
      : `connection trouble (${'code' in result ? result.code : ''})`;
  return `${who} could not be reached in ${made} ${made === 1 ? 'try' : 'tries'}; the last one ended with ${last}.`;
}

/** Half of the wait is chance, so that requests refused together do not come back together. */
function jittered(ms: number, random: Random): number {
  const capped = Math.min(ms, LONGEST_DELAY_MS);
  return capped / 2 + (capped / 2) * random();
}

/** Seconds (some providers name fractions of them) or an HTTP date, as milliseconds from now; anything else is as good as absent. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const ms = waitOf(header?.trim() ?? '', now);
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_ASKED_MS);
}

function waitOf(header: string, now: number): number {
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000;
  return /^[A-Za-z]/.test(header) ? Date.parse(header) - now : Number.NaN;
}
