import type { AccessRefusal, Clock, Random } from '../ports/index.js';
import { type Access, accessRefusal } from './access.js';
import type { HttpResult } from './http.js';
import type { Pace } from './pace.js';
import { setWaiting, type Waiting } from './waiting.js';

export type RetryLimits = {
  /** Requests made for one turn before the other side counts as unreachable. */
  readonly maxTries: number;
  /** Time after the first request in which another try may still begin. */
  readonly withinMs: number;
};
export const DEFAULT_RETRIES: RetryLimits = { maxTries: 4, withinMs: 20_000 };

/** What one invocation or question allows its requests, and where they write down their effort. */
export type RequestBounds = {
  readonly signal: AbortSignal;
  readonly effort: { attempts: number; waitedMs: number };
  /** Backing off, queueing and looking up names: measured as effort, and not counted towards the timeout. */
  readonly waiting: Waiting;
};

export type RequestParts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly retries: RetryLimits;
  /** The subject of every sentence about a failure; "The agent" by default. */
  readonly who?: string;
  /** Whose access a refusal is about. Without it, a refusal is an answer like any other. */
  readonly access?: Access;
};

/** The text of an answer with status 2xx, or why there is none. */
export type RequestOutcome =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failed' | 'unreachable'; readonly reason: string }
  | AccessRefusal;

/**
 * Sends one request until it is settled: again after connection loss, 429 and 5xx, at the pace of its provider. Of all
 * the waiting only our own backing off counts as time spent trying; queues and waits that a provider asks for do not.
 */
export async function sendWithRetries(
  parts: RequestParts,
  pace: Pace,
  bounds: RequestBounds,
  send: () => Promise<HttpResult>,
): Promise<RequestOutcome> {
  const { clock, random, retries, who, access } = parts;
  const { effort, signal } = bounds;
  setWaiting(signal, bounds.waiting);
  // What this process stood still is no time spent trying.
  const atWork = (): number => clock.elapsed() - (clock.stoodStillMs?.() ?? 0);
  const startedAt = atWork();
  const waitedBefore = effort.waitedMs;
  let backedOffMs = 0;
  // A further turn is not a further try.
  effort.attempts = Math.max(1, effort.attempts);
  for (let made = 1; ; ) {
    const result = await sendOnce(pace, bounds, send);
    const denied = access && deniedBy(result, access);
    if (denied) return denied;
    const atWorkMs = atWork() - startedAt - (effort.waitedMs - waitedBefore);
    const tries = { made, spentMs: atWorkMs + backedOffMs };
    const next = nextTry(result, tries, retries, random, clock.now(), who);
    if (next.kind === 'give') return next.outcome;
    if (next.asked) {
      pace.holdFor(next.ms);
    } else {
      await bounds.waiting(() => clock.sleep(next.ms, signal));
      backedOffMs += next.ms;
      made += 1;
    }
    effort.attempts += 1;
  }
}

const deniedBy = (result: HttpResult, access: Access): AccessRefusal | undefined =>
  result.kind === 'response' ? accessRefusal(access, result.status, result.errorCode) : undefined;

/** The place in the provider's queue is held for this request only, not while the agent's tools are at work. */
async function sendOnce(
  pace: Pace,
  bounds: RequestBounds,
  send: () => Promise<HttpResult>,
): Promise<HttpResult> {
  const ticket = await bounds.waiting(() => pace.enter(bounds.signal));
  let result: HttpResult | undefined;
  try {
    result = await send();
    return result;
  } finally {
    const status = result?.kind === 'response' ? result.status : 500;
    ticket.leave(status === 429 ? 'limited' : status < 500 ? 'success' : 'other');
  }
}

/** How far the tries for one request have got. Waits that the provider asked for are not held against it. */
export type Tries = { readonly made: number; readonly spentMs: number };

export type NextTry =
  | { readonly kind: 'give'; readonly outcome: RequestOutcome }
  /** `asked`: the provider named the wait itself, so every request to it waits, and for as long as it says. */
  | { readonly kind: 'wait'; readonly ms: number; readonly asked: boolean };

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** Shorter waits than this are not worth a timer. */
const SHORTEST_ASKED_MS = 100;
/** A longer wait is asked for again: a server that is mended should not have to wait for its own old answer. */
const LONGEST_ASKED_MS = 3_600_000;

/**
 * What follows from one response. Connection loss, 429 and 5xx are worth another try; any other refusal is the other
 * side's own answer, and asking again would only count it twice.
 */
export function nextTry(
  result: HttpResult,
  tries: Tries,
  limits: RetryLimits,
  random: Random,
  now: number,
  who = 'The agent',
): NextTry {
  const settled = settledOutcome(result, who);
  if (settled) return { kind: 'give', outcome: settled };
  const backoffMs = jittered(FIRST_DELAY_MS * 2 ** (tries.made - 1), random);
  const askedMs =
    result.kind === 'response' && result.status === 429 ? parseRetryAfter(result.retryAfter, now) : undefined;
  if (askedMs !== undefined) {
    // "At once" has just been tried; any other wait is taken at its word.
    const ms = askedMs === 0 ? backoffMs : Math.max(askedMs, SHORTEST_ASKED_MS);
    return { kind: 'wait', ms, asked: true };
  }
  const exhausted = tries.made >= limits.maxTries || tries.spentMs + backoffMs > limits.withinMs;
  if (!exhausted) return { kind: 'wait', ms: backoffMs, asked: false };
  return { kind: 'give', outcome: { kind: 'unreachable', reason: whyUnreachable(result, tries, who) } };
}

const failed = (reason: string): RequestOutcome => ({ kind: 'failed', reason });

function settledOutcome(result: HttpResult, who: string): RequestOutcome | undefined {
  if (result.kind === 'lost') return undefined;
  if (result.kind !== 'response') return failed(result.reason);
  const { status, text, errorCode } = result;
  if (status >= 200 && status < 300) return { kind: 'text', text };
  if (status >= 300 && status < 400)
    return failed(`${who} answered with a redirect (HTTP ${status}); none is followed.`);
  if (status === 429 || status >= 500) return undefined;
  return failed(`${who} answered with HTTP ${status}${errorCode === undefined ? '' : ` (${errorCode})`}.`);
}

function whyUnreachable(result: HttpResult, { made }: Tries, who: string): string {
  const last =
    result.kind === 'response'
      ? `HTTP ${result.status}`
      : `a connection error (${'code' in result ? result.code : ''})`;
  return `${who} could not be reached in ${made} ${made === 1 ? 'try' : 'tries'}; the last one ended with ${last}.`;
}

/** Half of the wait is chance, so that requests refused together do not come back together. */
function jittered(ms: number, random: Random): number {
  const capped = Math.min(ms, LONGEST_DELAY_MS);
  return capped / 2 + (capped / 2) * random();
}

/** Seconds (some providers send fractions) or an HTTP date, as milliseconds from now; undefined for anything else. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const ms = waitOf(header?.trim() ?? '', now);
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_ASKED_MS);
}

function waitOf(header: string, now: number): number {
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000;
  return /^[A-Za-z]/.test(header) ? Date.parse(header) - now : Number.NaN;
}
