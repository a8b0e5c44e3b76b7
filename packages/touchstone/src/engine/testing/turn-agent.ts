import { createDeferred, onAbort } from '../../net/index.js';
import { type AgentHost, Withdrawn } from '../../ports/index.js';
import { answered, type Behaviour } from './bench.js';

/** An agent that keeps invocations which wait for their turn. Those at work answer when the test says so. */
export type TurnAgent = {
  readonly behave: Behaviour;
  /** Inputs of those at work, in the order in which they began. */
  readonly atWork: unknown[];
  readonly waiting: unknown[];
  /** How many were at work at a time, at most. */
  readonly mostAtWork: number;
  answer(input: unknown): void;
};

export function createTurnAgent(elapsed: () => number): TurnAgent {
  const atWork = new Map<unknown, () => void>();
  const waiting = new Map<unknown, () => void>();
  let [most, mostAtWork] = [0, 0];

  function beginNext(): void {
    for (const [input, begin] of waiting) {
      if (atWork.size >= most) return;
      waiting.delete(input);
      begin();
      mostAtWork = Math.max(mostAtWork, atWork.size);
    }
  }

  /** Resolves when it has answered, with how long it had waited. */
  function take(input: unknown, { turn, begun }: TurnHost): Promise<number> {
    const createdAt = elapsed();
    const done = createDeferred<number>();
    const isLate = atWork.size >= most;
    waiting.set(input, () => {
      const waitedMs = elapsed() - createdAt;
      if (isLate) begun();
      atWork.set(input, () => done.resolve(waitedMs));
    });
    onAbort(turn?.withdrawn, () => waiting.delete(input) && done.reject(new Withdrawn()));
    beginNext();
    return done.promise;
  }

  return {
    get atWork() {
      return [...atWork.keys()];
    },
    get waiting() {
      return [...waiting.keys()];
    },
    get mostAtWork() {
      return mostAtWork;
    },
    async behave(input, host) {
      most = host.turn?.most ?? Number.POSITIVE_INFINITY;
      const waitedMs = await take(input, { turn: host.turn, begun: () => host.begun?.() });
      return { ...answered(`answer ${input}`), effort: { attempts: 1, waitedMs } };
    },
    answer(input) {
      const end = atWork.get(input);
      atWork.delete(input);
      end?.();
      beginNext();
    },
  };
}

type TurnHost = Pick<AgentHost, 'turn'> & { readonly begun: () => void };
