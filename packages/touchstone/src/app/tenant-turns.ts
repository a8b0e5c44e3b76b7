import { createSemaphore } from '../net/index.js';

/** Work of which each tenant does one piece at a time, however much it asks for; tenants do not wait for each other. */
export type TenantTurns = {
  run<T>(tenant: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
};

export function createTenantTurns(): TenantTurns {
  const turns = new Map<string, ReturnType<typeof createSemaphore>>();
  return {
    run(tenant, work, signal) {
      const turn = turns.get(tenant) ?? createSemaphore(1);
      turns.set(tenant, turn);
      return turn.run(work, signal);
    },
  };
}
