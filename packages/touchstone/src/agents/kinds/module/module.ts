import type { Json } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import { createDeadlines, createDeferred, type Deadlines, onAbort } from '../../../net/index.js';
import {
  type Agent,
  AgentChanged,
  type AgentFacts,
  type AgentHost,
  type Answer,
  type Clock,
  type Invocation,
  type Turn,
  Withdrawn,
} from '../../../ports/index.js';
import type { AgentFiles } from '../../spec/digest.js';
import { readUsage } from '../../spec/members.js';
import { DEFAULT_TIMEOUT_MS, type ModuleRun } from '../../spec/run-spec.js';
import { CLOSED, failed, timedOut } from '../answers.js';
import { answerOf, createJob, decideAfterLoss, type Job, JobLine, JobQueue } from './module-jobs.js';
import type { ModuleProcesses } from './module-processes.js';
import {
  type JobMessage,
  startThread,
  type Thread,
  type ThreadMessage,
  threadOptions,
} from './module-thread.js';

export type ModuleParts = {
  readonly facts: AgentFacts;
  readonly baseDir: string;
  readonly clock: Clock;
  readonly maxOutputBytes: number;
  /** Its files as they were when it was opened. */
  readonly files?: Pick<AgentFiles, 'isUntouched'>;
  /** Runs it in a process that may use so much memory, unless its own entry says how much. Without either, in a thread. */
  readonly memoryMb?: number;
  /** Where it gets that process. */
  readonly processes?: Pick<ModuleProcesses, 'start'>;
};

export const createModuleAgent = (run: ModuleRun, parts: ModuleParts): Agent => new ThreadedAgent(run, parts);

const LOADING_MS = 30_000;
/** A thread that does not answer a ping for this long after a timeout is stuck. */
const PING_MS = 1_000;
const STUCK = `The agent kept its thread busy for ${PING_MS} ms past a timeout.`;
/** A shorter wait between the call and the sending is not recorded. */
const NOTICEABLE_MS = 1;

/**
 * A module in one worker thread, which serves many invocations (jobs) at once. With a limit on its memory the thread is
 * the main one of a process. The thread is:
 *
 * - `starting` until the module is loaded. Jobs wait.
 * - `ready`: jobs are sent as they come.
 * - `lost`: it ended by itself, or it was stuck and was ended here. `decideAfterLoss` answers each of its jobs, or sends
 *   it to the next thread, which starts when there is work: a module that ends its thread when idle would otherwise be
 *   started again and again.
 * - `unloadable` (final): the module cannot be loaded, and every job fails with the reason; or its files have changed, and
 *   every job is rejected.
 * - `closed` (final).
 *
 * Jobs of a line are sent ahead and wait in the thread. It begins the next one when one of the line ends, and this side
 * concludes the same from the answer: from then on the time of the next one counts.
 *
 * A job that runs out of time is not blamed at once. The thread is pinged: if it answers, the job timed out; if not, the
 * thread is stuck.
 */
class ThreadedAgent implements Agent {
  readonly facts: AgentFacts;
  readonly takesTurns = true;
  readonly #run: ModuleRun;
  readonly #parts: ModuleParts;
  readonly #timeoutMs: number;
  readonly #deadlines: Deadlines;
  readonly #queue = new JobQueue();
  readonly #lines = new WeakMap<object, JobLine>();
  #lastLine = 0;
  #state: 'starting' | 'ready' | 'lost' | 'unloadable' | 'closed' = 'starting';
  #whyUnloadable = '';
  #hasChanged = false;
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
    if (this.#hasChanged) return Promise.reject(new AgentChanged());
    if (this.#state === 'unloadable') return Promise.resolve(failed(this.#whyUnloadable));
    const job = createJob(invocation, host, this.#parts.clock.elapsed());
    const stop = onAbort(host.signal, () => this.#reject(job, host.signal.reason));
    job.stopListening = host.turn ? this.#joinLine(job, host.turn, stop) : stop;
    this.#queue.add(job);
    this.#sendWaiting();
    return job.answer.promise;
  }

  loadIssue(): Promise<string | undefined> {
    return this.#loaded.promise;
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#loaded.resolve(undefined);
    this.#loading.abort();
    for (const job of [...this.#queue.running(), ...this.#queue.waiting()]) this.#settle(job, CLOSED);
    this.#deadlines.close();
    await this.#thread.end();
  }

  // --------------------------------------------------------------------------------------------------- sending, settling

  #sendWaiting(): void {
    if (this.#state === 'lost' && this.#queue.hasWaiting) this.#thread = this.#start();
    if (this.#state !== 'ready') return;
    for (const job of this.#queue.take()) this.#send(job);
  }

  #send(job: Job): void {
    const { runId, invocationId, input, memory, tools } = job.invocation;
    const { turn } = job.host;
    const line = turn && this.#lineOf(turn);
    line?.add(job);
    const [number, most] = [line?.number ?? 0, line?.most ?? null];
    this.#thread.post(['invoke', job.id, input, runId, invocationId, memory, tools, number, most]);
    if (line) this.#beginNext(line);
    else this.#begin(job);
    job.hasWaited ||= line !== undefined && !job.hasBegun;
  }

  #begin(job: Job): void {
    job.tries += 1;
    job.deadline = this.#deadlines.start(() => this.#expire(job));
    job.waitedMs = job.deadline.dueAt - this.#timeoutMs - job.createdAt;
  }

  #beginNext(line: JobLine): void {
    for (let job = line.next(); job; job = line.next()) {
      this.#begin(job);
      if (job.hasWaited) job.host.begun?.();
    }
  }

  /** One that has waited may have begun long before this side concluded so, when this side was busy. */
  #noteTime(job: Job, tookMs: number | null): void {
    if (!job.hasWaited || tookMs === null) return;
    const sinceSentMs = this.#parts.clock.elapsed() - job.createdAt;
    const sinceBegunMs = job.hasBegun ? sinceSentMs - job.waitedMs : 0;
    if (tookMs <= sinceBegunMs) return;
    job.waitedMs = Math.max(0, sinceSentMs - tookMs);
    job.host.begun?.(tookMs);
  }

  /** What its line may do is known from now on; a place in it is taken when the job is sent. */
  #joinLine(job: Job, turn: Turn, stop: () => void): () => void {
    this.#lineOf(turn).most = turn.most;
    const stopWaiting = onAbort(turn.withdrawn, () => this.#withdraw(job));
    return () => {
      stop();
      stopWaiting();
    };
  }

  #lineOf({ line: key }: Turn): JobLine {
    const line = this.#lines.get(key) ?? new JobLine(++this.#lastLine);
    this.#lines.set(key, line);
    return line;
  }

  #leaveLine(job: Job): void {
    const { line } = job;
    if (!line) return;
    line.remove(job);
    // A thread that is lost begins nothing.
    if (this.#state === 'ready') this.#beginNext(line);
  }

  /** The thread decides: it may have begun. */
  #withdraw(job: Job): void {
    if (job.id === 0) this.#reject(job, new Withdrawn());
    else if (!job.hasBegun) this.#thread.post(['withdraw', job.id]);
  }

  #settle(job: Job, answer: Answer): void {
    if (!this.#release(job)) return;
    const effort = { attempts: job.tries, waitedMs: job.waitedMs };
    const timed = job.waitedMs > NOTICEABLE_MS ? { ...answer, effort } : answer;
    const full = job.printed === undefined ? timed : { ...timed, printed: job.printed };
    if (job.spending) job.spending.then(() => job.answer.resolve(full), job.answer.reject);
    else job.answer.resolve(full);
    this.#sendWaiting();
  }

  /** Rejects, for the two reasons an invocation may: it was cancelled, or its host failed. */
  #reject(job: Job, error: unknown): void {
    if (!this.#release(job)) return;
    if (job.id > 0) this.#thread.post(['abort', job.id]);
    job.answer.reject(error);
    this.#sendWaiting();
  }

  #release(job: Job): boolean {
    if (job.isSettled) return false;
    job.isSettled = true;
    job.stopListening();
    this.#stopTimers(job);
    this.#queue.remove(job);
    this.#leaveLine(job);
    return true;
  }

  #stopTimers(job: Job): void {
    if (job.deadline) this.#deadlines.stop(job.deadline);
    job.pingTimer?.abort();
  }

  // ---------------------------------------------------------------------------------------------------------- listening

  #receive(message: ThreadMessage): void {
    if (message[0] === 'ready') this.#checkFiles(this.#thread);
    else if (message[0] === 'unloadable') this.#giveUp(message[1]);
    else if (message[0] === 'pong') this.#endExpired(message[1]);
    else {
      const job = this.#queue.at(message[1]);
      // Messages of a job that is out of time are ignored, even an answer that is already on its way.
      if (job && job.expiredAtPing === undefined) this.#receiveFrom(job, message);
    }
  }

  #receiveFrom(job: Job, message: JobMessage): void {
    if (message[0] === 'answer') {
      this.#noteTime(job, message[5]);
      this.#settle(job, answerOf(message[2], message[3], message[4]));
    } else if (message[0] === 'failed') {
      this.#noteTime(job, message[3]);
      this.#settle(job, failed(message[2]));
    } else if (message[0] === 'withdrawn') this.#reject(job, new Withdrawn());
    else if (message[0] === 'tool') this.#callTool(job, message[2], message[3], message[4]);
    else if (message[0] === 'usage') this.#spend(job, message[2]);
    else if (message[0] === 'printed') job.printed = (job.printed ?? '') + message[2];
    else {
      job.hasEffects = true;
      job.host.reason(message[2]);
    }
  }

  #callTool(job: Job, call: number, toolId: string, inputs: unknown): void {
    job.hasEffects = true;
    job.host.callTool(toolId, toBody(inputs as Json)).then(
      (result) => {
        if (!job.isSettled) this.#thread.post(['result', job.id, call, result]);
      },
      (error) => this.#reject(job, error),
    );
  }

  #spend(job: Job, value: unknown): void {
    const reading = readUsage(value);
    if (typeof reading === 'string') {
      this.#thread.post(['abort', job.id]);
      this.#settle(job, failed(`The agent reported usage that cannot be read: ${reading}`));
      return;
    }
    job.hasEffects = true;
    job.spending = Promise.all([job.spending, job.host.spend([reading])]);
    // A failure is reported with the answer; until then it must not count as an unhandled rejection.
    job.spending.catch(() => undefined);
  }

  // -------------------------------------------------------------------------------------------------- starting, loading

  #start(): Thread {
    const { clock, processes } = this.#parts;
    this.#state = 'starting';
    this.#starts += 1;
    this.#loading = new AbortController();
    clock.sleep(LOADING_MS, this.#loading.signal).then(
      () => this.#giveUp(`It did not load within ${LOADING_MS} ms.`),
      () => undefined,
    );
    const listener = {
      message: (message: ThreadMessage) => this.#receive(message),
      gone: (reason: string) => this.#lose(reason, false),
    };
    return startThread(threadOptions(this.#run, this.#parts), listener, clock, processes);
  }

  /** A thread that replaces a lost one has read the files again. Answers of changed files would be no evidence. */
  #checkFiles(thread: Thread): void {
    const { files } = this.#parts;
    const check = files && this.#starts > 1 ? files.isUntouched() : undefined;
    if (!check) this.#becomeReady();
    check?.then((untouched) => {
      if (this.#thread !== thread || this.#state !== 'starting') return;
      if (untouched) this.#becomeReady();
      else this.#turnAway();
    });
  }

  #turnAway(): void {
    this.#hasChanged = true;
    for (const job of this.#queue.waiting()) this.#reject(job, new AgentChanged());
    this.#giveUp('Its files have changed since the run began.');
  }

  #becomeReady(): void {
    this.#state = 'ready';
    this.#loaded.resolve(undefined);
    this.#loading.abort();
    this.#sendWaiting();
  }

  #giveUp(reason: string): void {
    if (this.#state !== 'starting') return;
    this.#state = 'unloadable';
    this.#whyUnloadable = `Its module does not load: ${reason}`;
    this.#loaded.resolve(this.#whyUnloadable);
    this.#loading.abort();
    for (const job of this.#queue.waiting()) this.#settle(job, failed(this.#whyUnloadable));
    this.#thread.end();
  }

  // ------------------------------------------------------------------------------------------------ timeouts and losses

  #expire(job: Job): void {
    const thread = this.#thread;
    job.expiredAtPing = ++this.#lastPing;
    job.pingTimer = new AbortController();
    thread.post(['abort', job.id]);
    thread.post(['ping', job.expiredAtPing]);
    this.#parts.clock.sleep(PING_MS, job.pingTimer.signal).then(
      () => {
        // Several jobs may wait for the same ping; the first one has replaced the thread.
        if (this.#thread === thread) this.#lose(STUCK, true);
      },
      () => undefined,
    );
  }

  #endExpired(pong: number): void {
    for (const job of this.#queue.running()) {
      if (job.expiredAtPing !== undefined && job.expiredAtPing <= pong)
        this.#settle(job, timedOut(this.#timeoutMs));
    }
  }

  #lose(reason: string, isStuck: boolean): void {
    if (this.#state === 'starting') this.#giveUp(reason);
    if (this.#state !== 'ready') return;
    const jobs = this.#queue.running();
    const seen = this.#queue.at(this.#thread.running());
    // A stuck thread can also be busy with a job that still has time; that one is not the cause.
    const cause = isStuck && seen?.expiredAtPing === undefined ? undefined : seen;
    const loss = { reason, wasAlone: jobs.length === 1, timeoutMs: this.#timeoutMs, ...(cause && { cause }) };
    this.#state = 'lost';
    this.#thread.end();
    for (const job of jobs) {
      const decision = decideAfterLoss(job, loss);
      if (typeof decision === 'object') this.#settle(job, decision);
      else this.#requeue(job, decision === 'isolate');
    }
    this.#sendWaiting();
  }

  #requeue(job: Job, isIsolated: boolean): void {
    if (!job.hasBegun && job.host.turn?.withdrawn.aborted) {
      this.#reject(job, new Withdrawn());
      return;
    }
    this.#stopTimers(job);
    this.#queue.remove(job);
    this.#leaveLine(job);
    delete job.expiredAtPing;
    job.id = 0;
    job.isIsolated = isIsolated;
    this.#queue.add(job);
  }
}
