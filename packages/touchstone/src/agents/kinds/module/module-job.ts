import type { Deadline } from '../../../net/index.js';
import { createDeferred, type Deferred } from '../../../net/index.js';
import type { AgentHost, Answer, Invocation } from '../../../ports/index.js';
import { failed, timedOut, unreachable } from '../answers.js';

/** One invocation on its way through the thread. */
export type Job = {
  readonly invocation: Invocation;
  readonly host: AgentHost;
  readonly answer: Deferred<Answer>;
  readonly askedAt: number;
  stopListening: () => void;
  /** Given at each sending; 0 before the first. */
  id: number;
  deadline?: Deadline;
  tries: number;
  waitedMs: number;
  /** It has called a tool, spent money or reasoned aloud. Starting it again would do that twice. */
  touched: boolean;
  /** It runs alone because an earlier thread was lost while it was at work. */
  suspect: boolean;
  /** Its time is over; number of the ping that asks whether the thread still reacts. */
  expiredAtPing?: number;
  patience?: AbortController;
  spending?: Promise<unknown>;
  settled: boolean;
};

export const createJob = (invocation: Invocation, host: AgentHost, askedAt: number): Job => ({
  invocation,
  host,
  answer: createDeferred<Answer>(),
  askedAt,
  stopListening: () => undefined,
  id: 0,
  tries: 0,
  waitedMs: 0,
  touched: false,
  suspect: false,
  settled: false,
});

export type Loss = {
  readonly reason: string;
  readonly culprit?: Job;
  /** Only one invocation was at work. */
  readonly alone: boolean;
  readonly timeoutMs: number;
};

/** `again` sends it with the others; `alone` sends it by itself, so that the next loss has an author. */
export type Fate = Answer | 'again' | 'alone';

/**
 * What a lost thread means for one invocation that was at work in it. Nobody is failed for what another may have done:
 * only the one that was seen at work, or that was alone, is to blame.
 */
export function fateOf(job: Job, loss: Loss): Fate {
  const toBlame = job === loss.culprit || job.suspect;
  const isExpired = job.expiredAtPing !== undefined;
  if (isExpired && (toBlame || job.touched)) return timedOut(loss.timeoutMs);
  if (toBlame) return failed(loss.reason);
  if (job.touched) {
    return loss.alone
      ? failed(loss.reason)
      : unreachable(`${loss.reason} It served several invocations at that time.`);
  }
  return loss.culprit ? 'again' : 'alone';
}
