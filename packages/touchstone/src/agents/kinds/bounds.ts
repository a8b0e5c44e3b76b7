import { createDeadlines, createDeferred, onAbort } from '../../net/index.js';
import type { AgentHost, Answer, Clock, MaybePromise } from '../../ports/index.js';
import { CLOSED, timedOut } from './answers.js';

/** What one invocation's work has to respect, and where it writes down its effort. */
export type Bound = {
  /** The host, for as long as the invocation lasts: once it is over, work that is still under way is turned away. */
  readonly host: AgentHost;
  /** Aborts on cancellation, timeout and close, and when the work is done. */
  readonly signal: AbortSignal;
  readonly effort: { attempts: number; waitedMs: number };
  /** Backing off and queueing: measured as effort, and not counted towards the timeout. */
  waiting<T>(wait: () => Promise<T>): Promise<T>;
  /** Before an answer is read: it waits until this host has time for it. The wait is not the agent's time. */
  takeAnswer(text: string): MaybePromise<void>;
};

/** Waits until this host has time for an answer of so many characters; most of the time it has. */
export type TakeAnswer = (characters: number, signal: AbortSignal) => MaybePromise<void>;

/** Why the work of an invocation ends once there is an answer. One for all: making an error with its stack costs more than the rest of the end. */
const DONE = new DOMException('The invocation is over.', 'AbortError');

export type Bounds = {
  /** Settles as soon as the work is done, cancelled, out of time or closed, whichever is first. */
  run(host: AgentHost, work: (bound: Bound) => Promise<Answer>): Promise<Answer>;
  close(): void;
};

export function createBounds(clock: Clock, timeoutMs: number, takeTurn?: TakeAnswer): Bounds {
  const deadlines = createDeadlines(clock, timeoutMs);
  const closeAll = new AbortController();

  async function run(host: AgentHost, work: (bound: Bound) => Promise<Answer>): Promise<Answer> {
    host.signal.throwIfAborted();
    if (closeAll.signal.aborted) return CLOSED;
    const over = new AbortController();
    const { signal } = over;
    const effort = { attempts: 0, waitedMs: 0 };
    const interruption = createDeferred<Answer>();
    const deadline = deadlines.start(() => interruption.resolve(timedOut(timeoutMs)));
    const stopListening = [
      onAbort(host.signal, () => interruption.reject(host.signal.reason)),
      onAbort(closeAll.signal, () => interruption.resolve(CLOSED)),
    ];
    const waiting = async <T>(wait: () => Promise<T>): Promise<T> => {
      const resume = deadlines.pause(deadline);
      const startedAt = clock.elapsed();
      try {
        return await wait();
      } finally {
        effort.waitedMs += clock.elapsed() - startedAt;
        resume();
      }
    };
    const takeAnswer = ({ length }: string): MaybePromise<void> => {
      const turn = takeTurn?.(length, signal);
      if (turn) return waiting(() => turn);
    };
    const { bounded, spent } = boundHost(host, signal);
    try {
      const answer = await Promise.race([
        interruption.promise,
        work({ host: bounded, signal, effort, waiting, takeAnswer }),
      ]);
      await spent();
      return effort.attempts > 0 ? { ...answer, effort: { ...effort } } : answer;
    } finally {
      deadlines.stop(deadline);
      for (const stop of stopListening) stop();
      over.abort(DONE);
    }
  }

  return {
    run,
    close() {
      closeAll.abort();
      deadlines.close();
    },
  };
}

/** `spent` waits for what is being committed: even an invocation that ran out of time has to pay for what it used. */
function boundHost(host: AgentHost, over: AbortSignal): { bounded: AgentHost; spent: () => Promise<void> } {
  let spending: Promise<void> = Promise.resolve();
  const bounded: AgentHost = {
    signal: over,
    async callTool(toolId, inputs) {
      over.throwIfAborted();
      return host.callTool(toolId, inputs);
    },
    observe(...call) {
      if (!over.aborted) host.observe(...call);
    },
    async spend(usage) {
      over.throwIfAborted();
      spending = host.spend(usage);
      return spending;
    },
    reason(text) {
      if (!over.aborted) host.reason(text);
    },
  };
  return { bounded, spent: () => spending };
}
