import { resolve } from 'node:path';
import type { Issue, Json } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import { createDeadlines, createDeferred, type Deadlines, onAbort } from '../../../net/index.js';
import type { Agent, AgentFacts, AgentHost, Answer, Clock, Invocation } from '../../../ports/index.js';
import { DEFAULT_TIMEOUT_MS, type ModuleRun } from '../../spec/run-spec.js';
import { readUsage } from '../../spec/usage-reader.js';
import { CLOSED, failed, timedOut } from '../answers.js';
import { createJob, type Fate, fateOf, type Job } from './module-job.js';
import { JobQueue } from './module-queue.js';
import { type JobMessage, startThread, type Thread, type ThreadMessage } from './module-thread.js';

export type ModuleParts = {
  readonly facts: AgentFacts;
  readonly baseDir: string;
  readonly clock: Clock;
  readonly maxOutputBytes: number;
  /** Whether its files are those the run was planned with. */
  readonly isSame?: () => Promise<boolean>;
};

export const createModuleAgent = (run: ModuleRun, parts: ModuleParts): Agent => new ThreadedAgent(run, parts);

const LOADING_MS = 30_000;
/** A thread that has not said a word for this long after a timeout is stuck. */
const PATIENCE_MS = 1_000;
const STUCK = `The agent kept its thread busy for ${PATIENCE_MS} ms past a timeout.`;
/** Less than this between asking and sending is not a wait worth writing down. */
const NOTICEABLE_MS = 1;

/**
 * A module in one worker thread. The thread is *starting* until the module is loaded, then *ready*; *lost* until
 * somebody needs it again; *unloadable* and *closed* are final. When a thread is lost, the invocations that were at
 * work in it are judged (`fateOf`): some are sent again together with new ones, and suspects one at a time while
 * everybody else waits.
 */
class ThreadedAgent implements Agent {
  readonly facts: AgentFacts;
  readonly #run: ModuleRun;
  readonly #parts: ModuleParts;
  readonly #timeoutMs: number;
  readonly #deadlines: Deadlines;
  readonly #queue = new JobQueue();
  #state: 'starting' | 'ready' | 'lost' | 'unloadable' | 'closed' = 'starting';
  #whyUnloadable = '';
  readonly #loaded = createDeferred<string | undefined>();
  #loading = new AbortController();
  #thread: Thread;
  #lastPing = 0;
  #starts = 0;

  constructor(run: ModuleRun, parts: ModuleParts) {
    this.facts = parts.facts;
    this.#run = run;
    this.#parts = parts;
    this.#timeoutMs = run.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#deadlines = createDeadlines(parts.clock, this.#timeoutMs);
    this.#thread = this.#start();
  }

  invoke(invocation: Invocation, host: AgentHost): Promise<Answer> {
    if (host.signal.aborted) return Promise.reject(host.signal.reason);
    if (this.#state === 'closed') return Promise.resolve(CLOSED);
    if (this.#state === 'unloadable') return Promise.resolve(failed(this.#whyUnloadable));
    const job = createJob(invocation, host, this.#parts.clock.elapsed());
    job.stopListening = onAbort(host.signal, () => this.#abandon(job, host.signal.reason));
    this.#queue.add(job);
    this.#pump();
    return job.answer.promise;
  }

  trouble(): Promise<string | undefined> {
    return this.#loaded.promise;
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#loaded.resolve(undefined);
    this.#loading.abort();
    for (const job of [...this.#queue.working(), ...this.#queue.queued()]) this.#settle(job, CLOSED);
    this.#deadlines.close();
    await this.#thread.end();
  }

  // --------------------------------------------------------------------------------------------------- sending, settling

  #pump(): void {
    // A lost thread is replaced when there is work: a module that ends its thread when idle would never come to rest.
    if (this.#state === 'lost' && !this.#queue.isQueueEmpty) this.#thread = this.#start();
    if (this.#state !== 'ready') return;
    for (const job of this.#queue.take()) this.#send(job);
  }

  #send(job: Job): void {
    const { runId, invocationId, input, memory, tools } = job.invocation;
    job.tries += 1;
    job.deadline = this.#deadlines.start(() => this.#expire(job));
    job.waitedMs = job.deadline.dueAt - this.#timeoutMs - job.askedAt;
    this.#thread.post(['invoke', job.id, input, runId, invocationId, memory, tools]);
  }

  #settle(job: Job, answer: Answer): void {
    if (!this.#release(job)) return;
    const effort = { attempts: job.tries, waitedMs: job.waitedMs };
    const full = job.waitedMs > NOTICEABLE_MS ? { ...answer, effort } : answer;
    if (job.spending) job.spending.then(() => job.answer.resolve(full), job.answer.reject);
    else job.answer.resolve(full);
    this.#pump();
  }

  /** Rejects, for the two reasons an invocation may: it was cancelled, or its host failed. */
  #abandon(job: Job, error: unknown): void {
    if (!this.#release(job)) return;
    if (job.id > 0) this.#thread.post(['abort', job.id]);
    job.answer.reject(error);
    this.#pump();
  }

  #release(job: Job): boolean {
    if (job.settled) return false;
    job.settled = true;
    job.stopListening();
    this.#stopClocks(job);
    this.#queue.remove(job);
    return true;
  }

  #stopClocks(job: Job): void {
    if (job.deadline) this.#deadlines.stop(job.deadline);
    job.patience?.abort();
  }

  // ---------------------------------------------------------------------------------------------------------- listening

  #hear(message: ThreadMessage): void {
    if (message[0] === 'ready') this.#check(this.#thread);
    else if (message[0] === 'unloadable') this.#giveUp(message[1]);
    else if (message[0] === 'pong') this.#endExpired(message[1]);
    else {
      const job = this.#queue.at(message[1]);
      // Whoever is out of time is no longer listened to, even when the answer is already on its way.
      if (job && job.expiredAtPing === undefined) this.#hearFrom(job, message);
    }
  }

  #hearFrom(job: Job, message: JobMessage): void {
    if (message[0] === 'answer') this.#settle(job, answerOf(message[2], message[3], message[4]));
    else if (message[0] === 'failed') this.#settle(job, failed(message[2]));
    else if (message[0] === 'tool') this.#callTool(job, message[2], message[3], message[4]);
    else if (message[0] === 'usage') this.#spend(job, message[2]);
    else {
      job.touched = true;
      job.host.reason(message[2]);
    }
  }

  #callTool(job: Job, call: number, toolId: string, inputs: unknown): void {
    job.touched = true;
    job.host.callTool(toolId, toBody(inputs as Json)).then(
      (result) => {
        if (!job.settled) this.#thread.post(['result', job.id, call, result]);
      },
      (error) => this.#abandon(job, error),
    );
  }

  #spend(job: Job, value: unknown): void {
    const issues: Issue[] = [];
    const usage = readUsage(value, '', issues);
    const [issue] = issues;
    if (issue) {
      const where = issue.pointer || '/';
      this.#thread.post(['abort', job.id]);
      this.#settle(job, failed(`The agent reported usage that cannot be read: ${where}: ${issue.message}`));
      return;
    }
    job.touched = true;
    job.spending = Promise.all([job.spending, job.host.spend([usage])]);
    // A failure is reported when the answer is given; until then nobody listens, and that is no accident.
    job.spending.catch(() => undefined);
  }

  // -------------------------------------------------------------------------------------------------- starting, loading

  #start(): Thread {
    const { clock, baseDir, maxOutputBytes } = this.#parts;
    this.#state = 'starting';
    this.#starts += 1;
    this.#loading = new AbortController();
    clock.sleep(LOADING_MS, this.#loading.signal).then(
      () => this.#giveUp(`It did not load within ${LOADING_MS} ms.`),
      () => undefined,
    );
    const options = { path: resolve(baseDir, this.#run.path), exportName: this.#run.export, maxOutputBytes };
    return startThread(options, {
      message: (message) => this.#hear(message),
      gone: (reason) => this.#lose(reason, false),
    });
  }

  /** A thread that takes another one's place has read the files anew; answers of other bytes are no evidence. */
  #check(thread: Thread): void {
    const { isSame } = this.#parts;
    const looked = isSame && this.#starts > 1 ? isSame() : undefined;
    if (!looked) this.#begin();
    looked?.then(
      (same) => {
        if (this.#thread !== thread || this.#state !== 'starting') return;
        if (same) this.#begin();
        else this.#giveUp('Its files have changed since the run began.');
      },
      () => this.#giveUp('Its files can no longer be read.'),
    );
  }

  #begin(): void {
    this.#state = 'ready';
    this.#loaded.resolve(undefined);
    this.#loading.abort();
    this.#pump();
  }

  #giveUp(reason: string): void {
    if (this.#state !== 'starting') return;
    this.#state = 'unloadable';
    this.#whyUnloadable = `Its module does not load: ${reason}`;
    this.#loaded.resolve(this.#whyUnloadable);
    this.#loading.abort();
    for (const job of this.#queue.queued()) this.#settle(job, failed(this.#whyUnloadable));
    this.#thread.end();
  }

  // ------------------------------------------------------------------------------------------------ timeouts and losses

  /** Before a timeout is anybody's fault, the thread has to show that it still reacts. */
  #expire(job: Job): void {
    const thread = this.#thread;
    job.expiredAtPing = ++this.#lastPing;
    job.patience = new AbortController();
    thread.post(['abort', job.id]);
    thread.post(['ping', job.expiredAtPing]);
    this.#parts.clock.sleep(PATIENCE_MS, job.patience.signal).then(
      () => {
        // Several may run out of patience with the same thread; the first has replaced it.
        if (this.#thread === thread) this.#lose(STUCK, true);
      },
      () => undefined,
    );
  }

  #endExpired(pong: number): void {
    for (const job of this.#queue.working()) {
      if (job.expiredAtPing !== undefined && job.expiredAtPing <= pong)
        this.#settle(job, timedOut(this.#timeoutMs));
    }
  }

  #lose(reason: string, isStuck: boolean): void {
    if (this.#state === 'starting') this.#giveUp(reason);
    if (this.#state !== 'ready') return;
    const jobs = this.#queue.working();
    const seen = this.#queue.at(this.#thread.running());
    // A thread can also be busy with an invocation that still has time; that one is not why it was ended.
    const culprit = isStuck && seen?.expiredAtPing === undefined ? undefined : seen;
    const loss = {
      reason,
      alone: jobs.length === 1,
      timeoutMs: this.#timeoutMs,
      ...(culprit && { culprit }),
    };
    this.#state = 'lost';
    this.#thread.end();
    for (const job of jobs) this.#meetFate(job, fateOf(job, loss));
    this.#pump();
  }

  #meetFate(job: Job, fate: Fate): void {
    if (typeof fate === 'object') {
      this.#settle(job, fate);
      return;
    }
    this.#stopClocks(job);
    this.#queue.remove(job);
    delete job.expiredAtPing;
    job.id = 0;
    job.suspect = fate === 'alone';
    this.#queue.add(job);
  }
}

function answerOf(output: unknown, confidence: number | null, refused: boolean): Answer {
  const body = toBody(output as Json);
  return { kind: refused ? 'refused' : 'answered', output: body, ...(confidence !== null && { confidence }) };
}
