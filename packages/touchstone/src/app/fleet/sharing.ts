import type { AgentPlan, Digest, EvalPlan, RunId } from '@touchstone/protocol';
import type { Sharing } from '../../engine/index.js';
import type { Clock, Log, Run, Store, Worker, Workers } from '../../ports/index.js';
import { createHearing } from './hearing.js';
import { keepDoing } from './keep-doing.js';

/** How long a run waits for a process that has what it needs, before it fails. */
const WAIT_MS = 600_000;
/** How long a process leaves a run alone that it could not open. */
const UNABLE_MS = 30_000;
const BEAT_MS = 2_500;
/** After a beat that failed: a process begins nothing until the others have heard of it again. */
const BEAT_AGAIN_MS = 250;

type SharingParts = {
  readonly workers: Workers;
  readonly clock: Clock;
  readonly log: Log;
  readonly environment: Digest;
  readonly activeRuns: number;
  /** Real time, by which the others count a process as lost. */
  readonly elapsed?: () => number;
};

export type FleetMember = Sharing & {
  /**
   * From now on the others know of this process, and of how much it has to do. `onSeenAgain` is called when they could have counted
   * it as lost and do not any more. Returns the function that ends it.
   */
  join(facts: () => Omit<Worker, 'environment'>, onSeenAgain: () => void): () => Promise<void>;
};

/** This process as one of those that share the runs of a store. */
export function createFleetMember(parts: SharingParts): FleetMember {
  const { workers, clock, environment } = parts;
  /** Runs that could not be opened here: since when, and when that was tried last. */
  const unable = new Map<RunId, { readonly since: number; readonly triedAt: number }>();
  const isAtHand = async (wanted: Digest): Promise<boolean> =>
    (await workers.list()).some((worker) => worker.environment === wanted);
  const hearing = createHearing(parts.elapsed);
  const presence = (): number | undefined => {
    const seen = workers.presence();
    return seen === undefined || hearing.isSilent() ? undefined : seen + hearing.silences;
  };
  const tellPresence = presenceTeller(parts, presence);
  /** Nobody else could open what was planned here and cannot be opened here any more. */
  const isAlone = async (): Promise<boolean> => (await workers.list()).length <= 1;
  return {
    activeRuns: parts.activeRuns,
    environment,
    presence,
    async processes({ plan }) {
      const [all, wanted] = [await workers.list(), environmentOf(plan)];
      const able = all.filter((worker) => wanted === undefined || worker.environment === wanted);
      // An environment that is gone binds nobody.
      return able.length === 0 ? all.length : able.length;
    },
    async suits({ runId, plan }) {
      const tried = unable.get(runId);
      if (tried && clock.elapsed() - tried.triedAt < UNABLE_MS) return false;
      const wanted = environmentOf(plan);
      return wanted === undefined || wanted === environment || !(await isAtHand(wanted));
    },
    async waits({ runId, plan }) {
      const wanted = environmentOf(plan);
      if (wanted === environment && (await isAlone())) return false;
      const now = clock.elapsed();
      forgetOld(unable, now);
      const { since } = unable.get(runId) ?? { since: now };
      unable.set(runId, { since, triedAt: now });
      if (now - since < WAIT_MS) return true;
      return wanted !== undefined && wanted !== environment && (await isAtHand(wanted));
    },
    join: (facts, onSeenAgain) =>
      keepBeating(parts, async () => {
        tellPresence();
        const wasSilent = hearing.isSilent();
        await hearing.tell(() => workers.beat({ ...facts(), environment }));
        if (wasSilent) onSeenAgain();
      }),
  };
}

/** Tells the operator of a process that does nothing because the others cannot see that it lives: once, until they can. */
function presenceTeller({ log }: SharingParts, presence: () => number | undefined): () => void {
  let isTold = false;
  return () => {
    const isUnseen = presence() === undefined;
    if (isUnseen && !isTold) log.warn('workers.unseen');
    isTold = isUnseen;
  };
}

/** A store that notes with each new run which environment it was planned in. */
export const withEnvironment = (store: Store, environment: Digest): Store => ({
  ...store,
  runs: {
    ...store.runs,
    create: (run, options) => {
      const { plan } = run;
      return store.runs.create(isExecuted(plan) ? { ...run, plan: { ...plan, environment } } : run, options);
    },
  },
});

/** Whether a run executes agents, which is for processes that work. */
export const isExecuted = (plan: Run['plan']): plan is EvalPlan | AgentPlan =>
  plan.kind === 'eval' || plan.kind === 'agent';

const environmentOf = (plan: Run['plan']): Digest | undefined =>
  isExecuted(plan) ? plan.environment : undefined;

/** A run that has not been tried for long is with another process, or over. */
function forgetOld(unable: Map<RunId, { readonly triedAt: number }>, now: number): void {
  for (const [runId, { triedAt }] of unable) if (now - triedAt > WAIT_MS) unable.delete(runId);
}

function keepBeating({ workers, log }: SharingParts, tell: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  const beat = (): Promise<void> => {
    last = tell();
    return last;
  };
  const failed = (error: unknown): void => log.error('workers.beat-failed', {}, error);
  const stop = keepDoing(beat, BEAT_MS, failed, BEAT_AGAIN_MS);
  return async () => {
    stop();
    await last.catch(() => undefined);
    await workers.leave().catch(failed);
  };
}
