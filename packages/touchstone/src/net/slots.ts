import type { LeaveSlot, Slots } from '../ports/index.js';
import { onAbort } from './concurrency.js';

type SlotLimits = {
  readonly perTenant: number;
  /** For all tenants together. A tenant may hold as many as are left for the others, so that some always are. */
  readonly total?: number;
  /** Called for each piece of work that finds no slot. */
  readonly onWait?: () => void;
};

type Begin = () => void;
/** The slots that a tenant has taken, when it took the last one, and its work that waits for more. */
type Line = { taken: number; turn: number; readonly waiting: Map<string, Set<Begin>> };

export function createSlots(limits: SlotLimits): Slots {
  const { perTenant, total = Number.POSITIVE_INFINITY, onWait = () => undefined } = limits;
  const lines = new Map<string, Line>();
  let taken = 0;
  let turns = 0;
  let waiting = 0;

  const mayTake = (line: Line): boolean => line.taken < perTenant && line.taken < total - taken;
  const forget = (tenant: string, line: Line): void => {
    if (line.taken === 0 && line.waiting.size === 0) lines.delete(tenant);
  };

  function take(tenant: string, line: Line): LeaveSlot {
    line.taken += 1;
    taken += 1;
    turns += 1;
    line.turn = turns;
    return () => {
      line.taken -= 1;
      taken -= 1;
      for (let next = nextLine(); next; next = nextLine()) firstOf(next)();
      forget(tenant, line);
    };
  }

  /** Of the lines that may go on, the one with the fewest slots; of several, the one that has waited for its turn longest. */
  function nextLine(): Line | undefined {
    let next: Line | undefined;
    for (const line of lines.values()) {
      if (line.waiting.size === 0 || !mayTake(line)) continue;
      if (!next || line.taken < next.taken || (line.taken === next.taken && line.turn < next.turn))
        next = line;
    }
    return next;
  }

  function wait(
    tenant: string,
    line: Line,
    group: string,
    signal: AbortSignal,
  ): Promise<LeaveSlot | undefined> {
    onWait();
    waiting += 1;
    return new Promise((resolve) => {
      const begin = (): void => {
        waiting -= 1;
        stopListening();
        resolve(take(tenant, line));
      };
      const stopListening = onAbort(signal, () => {
        waiting -= 1;
        remove(line, group, begin);
        forget(tenant, line);
        resolve(undefined);
      });
      line.waiting.set(group, (line.waiting.get(group) ?? new Set()).add(begin));
    });
  }

  return {
    get isFull() {
      return waiting > 0;
    },
    enter(tenant, group, signal) {
      if (signal.aborted) return undefined;
      const line = lines.get(tenant) ?? { taken: 0, turn: 0, waiting: new Map() };
      lines.set(tenant, line);
      const isFirst = line.waiting.size === 0;
      return isFirst && mayTake(line) ? take(tenant, line) : wait(tenant, line, group, signal);
    },
  };
}

/** Takes the first one of the group whose turn it is. The group then stands at the end. */
function firstOf({ waiting }: Line): Begin {
  for (const [group, begins] of waiting) {
    const [first = () => undefined] = begins;
    begins.delete(first);
    waiting.delete(group);
    if (begins.size > 0) waiting.set(group, begins);
    return first;
  }
  return () => undefined;
}

function remove({ waiting }: Line, group: string, begin: Begin): void {
  const all = waiting.get(group);
  all?.delete(begin);
  if (all?.size === 0) waiting.delete(group);
}
