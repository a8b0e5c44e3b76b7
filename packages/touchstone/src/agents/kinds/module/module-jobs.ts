import type { Json } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import { createDeferred, type Deadline, type Deferred, FreeList } from '../../../net/index.js';
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
  /** The line that it was sent in, when it has one. */
  line: JobLine | undefined;
  /** Its turn has come, as far as is known here. */
  hasBegun: boolean;
  /** It was sent ahead of its turn. */
  hasWaited: boolean;
  deadline: Deadline | undefined;
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
  line: undefined,
  deadline: undefined,
  hasBegun: false,
  hasWaited: false,
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

/** Jobs of which only so many are at work at a time. The thread has the same, and each side knows by itself whose turn it is. */
export class JobLine {
  readonly number: number;
  #most = 0;
  #begun = 0;
  #waiting: Job[] = [];

  constructor(number: number) {
    this.number = number;
  }

  /** So many at a time from now on. */
  set most(most: number) {
    this.#most = most;
  }

  /** As the thread is told: one that is sent alone has to begin. */
  get most(): number {
    return Math.max(1, this.#most);
  }

  add(job: Job): void {
    job.line = this;
    this.#waiting.push(job);
  }

  remove(job: Job): void {
    if (job.hasBegun) this.#begun -= 1;
    else this.#waiting = this.#waiting.filter((other) => other !== job);
    job.line = undefined;
    job.hasBegun = false;
  }

  /** The next one whose turn it is. */
  next(): Job | undefined {
    if (this.#begun >= this.most) return undefined;
    const job = this.#waiting.shift();
    if (!job) return undefined;
    this.#begun += 1;
    job.hasBegun = true;
    return job;
  }
}

/** The jobs that wait, and those that run in the thread. */
export class JobQueue {
  readonly #running = new FreeList<Job>();
  readonly #indexOf = new Map<number, number>();
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
    const index = this.#indexOf.get(id);
    return index === undefined ? undefined : this.#running.at(index);
  }

  remove(job: Job): void {
    const index = this.#indexOf.get(job.id);
    if (index !== undefined) {
      this.#indexOf.delete(job.id);
      this.#running.remove(index);
      return;
    }
    this.#waiting = this.#waiting.filter((other) => other !== job);
    this.#isolated = this.#isolated.filter((other) => other !== job);
  }

  /** In the order in which they were sent. */
  running(): Job[] {
    return [...this.#running].sort((one, other) => one.id - other.id);
  }

  waiting(): Job[] {
    return [...this.#isolated, ...this.#waiting];
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0 || this.#isolated.length > 0;
  }

  #start(job: Job): Job {
    job.id = ++this.#lastId;
    this.#indexOf.set(job.id, this.#running.add(job));
    return job;
  }

  #runsIsolated(): boolean {
    if (this.#running.size !== 1) return false;
    const [only] = this.#running;
    return only?.isIsolated === true;
  }
}
