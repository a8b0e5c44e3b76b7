import type { RunId, TaskResult } from '@touchstone/protocol';
import { type Clock, finishedTask, type Progress, type ProgressListener } from '../../ports/index.js';

/** Folds committed results into the live picture of a run. Nothing here is stored; a restart folds it anew. */
export type ProgressFold = {
  /** Results that were durable before this driver began; they count, but say nothing about its speed. */
  restore(results: readonly TaskResult[]): void;
  committed(results: readonly TaskResult[], running: number, costUsd: number): void;
};

export function createProgress(total: number, clock: Clock, publish: ProgressListener): ProgressFold {
  const startedAt = clock.elapsed();
  let restored = 0;
  let done = 0;
  let passed = 0;
  let unscored = 0;

  const count = (results: readonly TaskResult[]): void => {
    done += results.length;
    passed += results.filter((result) => result.passed).length;
    unscored += results.filter((result) => result.unscored).length;
  };

  const snapshot = (running: number, costUsd: number): Progress => {
    const etaMs = remainingMs(clock.elapsed() - startedAt, done - restored, total - done);
    return {
      total,
      done,
      running,
      passed,
      failed: done - passed - unscored,
      ...(unscored > 0 && { unscored }),
      ...(costUsd > 0 && { costUsd }),
      ...(etaMs !== undefined && { etaMs }),
    };
  };

  return {
    restore(results) {
      count(results);
      restored = done;
    },
    committed(results, running, costUsd) {
      count(results);
      publish(snapshot(running, costUsd), results.map(finishedTask));
    },
  };
}

const remainingMs = (elapsedMs: number, done: number, left: number): number | undefined =>
  done > 0 ? Math.round((elapsedMs / done) * left) : undefined;

/** Listeners to the progress of runs. Publishing without a listener costs a map look-up. */
export type ProgressFeed = {
  subscribe(runId: RunId, listener: ProgressListener): () => void;
  publish(runId: RunId, ...args: Parameters<ProgressListener>): void;
};

export function createProgressFeed(): ProgressFeed {
  const listeners = new Map<RunId, Set<ProgressListener>>();
  return {
    subscribe(runId, listener) {
      const all = listeners.get(runId) ?? new Set();
      listeners.set(runId, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0) listeners.delete(runId);
      };
    },
    publish(runId, progress, finished) {
      for (const listener of listeners.get(runId) ?? []) listener(progress, finished);
    },
  };
}
