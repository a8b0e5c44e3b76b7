/** Places for runs at work, so many for each tenant: one tenant's queue never holds up another's. */
export type Slots = {
  /** Runs `work` when there is a place. `hurry` lets it begin at once, for work that only has to end something. */
  use<T>(tenant: string, hurry: AbortSignal, work: () => Promise<T>): Promise<T>;
};

type Queue = { taken: number; readonly line: (() => void)[] };

/** `onWait` is called for each piece of work that finds no place. */
export function createSlots(perTenant: number, onWait: () => void = () => undefined): Slots {
  const queues = new Map<string, Queue>();

  const enter = async (queue: Queue, hurry: AbortSignal): Promise<boolean> => {
    if (hurry.aborted) return false;
    if (queue.taken < perTenant) {
      queue.taken += 1;
      return true;
    }
    onWait();
    return new Promise((resolve) => {
      const begin = (): void => resolve(true);
      queue.line.push(begin);
      hurry.addEventListener('abort', () => {
        const at = queue.line.indexOf(begin);
        if (at >= 0) queue.line.splice(at, 1);
        resolve(false);
      });
    });
  };

  // A place that is handed on stays taken, so a newcomer cannot overtake the line.
  const leave = (queue: Queue): void => {
    const next = queue.line.shift();
    if (next) next();
    else queue.taken -= 1;
  };

  return {
    async use(tenant, hurry, work) {
      const queue = queues.get(tenant) ?? { taken: 0, line: [] };
      queues.set(tenant, queue);
      const placed = await enter(queue, hurry);
      try {
        return await work();
      } finally {
        if (placed) leave(queue);
        if (queue.taken === 0) queues.delete(tenant);
      }
    },
  };
}
