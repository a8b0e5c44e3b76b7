import type { MaybePromise } from '../../ports/index.js';

/**
 * Holds back tasks of a tenant whose checks do not keep up. An answer that waits for its check stays in memory, so there must
 * not be one for every task of every run.
 */
export type Admission = {
  /** Undefined when nothing is held back, which is nearly always; else what to call when the task has ended. */
  admit(tenant: string, signal: AbortSignal): MaybePromise<(() => void) | undefined>;
  /** A check of the tenant waits no longer. */
  moved(tenant: string): void;
};

/** So many answers of a tenant may wait before its next tasks do. */
const AHEAD = 16;

type Gate = { inside: number; readonly line: (() => void)[] };

export function createAdmission(waiting: (tenant: string) => number): Admission {
  const gates = new Map<string, Gate>();
  const hasRoom = (tenant: string, gate: Gate): boolean => gate.inside + waiting(tenant) < AHEAD;

  const moved = (tenant: string): void => {
    const gate = gates.get(tenant);
    if (!gate) return;
    while (gate.line.length > 0 && hasRoom(tenant, gate)) {
      gate.inside += 1;
      gate.line.shift()?.();
    }
    if (gate.inside === 0 && gate.line.length === 0) gates.delete(tenant);
  };
  const leave = (tenant: string, gate: Gate) => (): void => {
    gate.inside -= 1;
    moved(tenant);
  };

  const enter = (tenant: string, gate: Gate, signal: AbortSignal): Promise<() => void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const begin = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(leave(tenant, gate));
      };
      const giveUp = (): void => {
        gate.line.splice(gate.line.indexOf(begin), 1);
        reject(signal.reason);
        moved(tenant);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      gate.line.push(begin);
      moved(tenant);
    });

  return {
    admit(tenant, signal) {
      const gate = gates.get(tenant);
      if (gate) return enter(tenant, gate, signal);
      if (waiting(tenant) < AHEAD) return undefined;
      const fresh: Gate = { inside: 0, line: [] };
      gates.set(tenant, fresh);
      return enter(tenant, fresh, signal);
    },
    moved,
  };
}
