import type { Json } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import { createDeferred, type Deadline, type Deferred } from '../../../net/index.js';
import type { AgentHost, Answer, Invocation } from '../../../ports/index.js';
import { failed, timedOut, unreachable } from '../answers.js';

/** One invocation, from the call until its answer. It may be sent to several threads, one after the other. */
export type Job = {
  readonly invocation: Invocation;
  readonly host: AgentHost;
  readonly answer: Deferred<Answer>;
  readonly createdAt: number;
  stopListening: () => void;
  /** A new one at each sending; 0 while it waits. */
  id: number;
  deadline?: Deadline;
  tries: number;
  waitedMs: number;
  /** It has called a tool, spent money or reported reasoning. Sending it again would do that twice. */
  hasEffects: boolean;
  /** It runs alone in its thread, because an earlier thread was lost while it ran beside others. */
  isIsolated: boolean;
  /** Its time is over; number of the ping that asks whether the thread still reacts. */
  expiredAtPing?: number;
  pingTimer?: AbortController;
  spending?: Promise<unknown>;
  /** What its code has printed so far. */
  printed?: string;
  isSettled: boolean;
};

export const createJob = (invocation: Invocation, host: AgentHost, createdAt: number): Job => ({
  invocation,
  host,
  answer: createDeferred<Answer>(),
  createdAt,
  stopListening: () => undefined,
  id: 0,
  tries: 0,
  waitedMs: 0,
  hasEffects: false,
  isIsolated: false,
  isSettled: false,
});

/** The answer that an agent returned. */
export function answerOf(output: unknown, confidence: number | null, refused: boolean): Answer {
  const body = toBody(output as Json);
  return { kind: refused ? 'refused' : 'answered', output: body, ...(confidence !== null && { confidence }) };
}

/** How a thread was lost. */
export type ThreadLoss = {
  readonly reason: string;
  /** The job whose code was seen running at that moment, if it explains the loss. */
  readonly cause?: Job;
  /** Only one job was in the thread. */
  readonly wasAlone: boolean;
  readonly timeoutMs: number;
};

/**
 * Decides what becomes of a job whose thread was lost: an answer, another try beside others (`retry`), or another try
 * alone in a thread (`isolate`), so that the next loss has a known cause. A job fails only if it was seen running or ran
 * alone. One that has had effects is not tried again: its task stays unscored.
 */
export function decideAfterLoss(job: Job, loss: ThreadLoss): Answer | 'retry' | 'isolate' {
  const isCause = job === loss.cause || job.isIsolated;
  const isExpired = job.expiredAtPing !== undefined;
  if (isExpired && (isCause || job.hasEffects)) return timedOut(loss.timeoutMs);
  if (isCause || (job.hasEffects && loss.wasAlone)) return failed(loss.reason);
  if (job.hasEffects) return unreachable(`${loss.reason} It served several invocations at that time.`);
  return loss.cause ? 'retry' : 'isolate';
}

/** The jobs that wait, and those that run in the thread. */
export class JobQueue {
  readonly #running = new Map<number, Job>();
  #waiting: Job[] = [];
  #isolated: Job[] = [];
  #lastId = 0;

  add(job: Job): void {
    if (job.isIsolated) this.#isolated.push(job);
    else this.#waiting.push(job);
  }

  /** Those that may be sent now, numbered. An isolated job gets an empty thread, and no other job is sent beside it. */
  take(): readonly Job[] {
    if (this.#isolated.length > 0) {
      const next = this.#running.size === 0 ? this.#isolated.shift() : undefined;
      return next ? [this.#start(next)] : [];
    }
    if (this.#waiting.length === 0 || this.#runsIsolated()) return [];
    const jobs = this.#waiting;
    this.#waiting = [];
    for (const job of jobs) this.#start(job);
    return jobs;
  }

  at(id: number): Job | undefined {
    return this.#running.get(id);
  }

  remove(job: Job): void {
    if (this.#running.delete(job.id)) return;
    this.#waiting = this.#waiting.filter((other) => other !== job);
    this.#isolated = this.#isolated.filter((other) => other !== job);
  }

  running(): Job[] {
    return [...this.#running.values()];
  }

  waiting(): Job[] {
    return [...this.#isolated, ...this.#waiting];
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0 || this.#isolated.length > 0;
  }

  #start(job: Job): Job {
    job.id = ++this.#lastId;
    this.#running.set(job.id, job);
    return job;
  }

  #runsIsolated(): boolean {
    if (this.#running.size !== 1) return false;
    const [only] = this.#running.values();
    return only?.isIsolated === true;
  }
}
