/** Jobs of many tenants, handed out in turns: however much one has waiting, the next turn is another's. */
export type FairQueue<J> = {
  /** Urgent jobs go before the others of their tenant. */
  add(tenant: string, job: J, isUrgent: boolean): void;
  /** The next job of the tenant whose turn it is and who has a place; it has to be ended with `done`. */
  next(): { readonly tenant: string; readonly job: J } | undefined;
  done(tenant: string): void;
  /** Takes back a job that has not been handed out. */
  remove(tenant: string, job: J): void;
  waiting(tenant: string): number;
  /** Takes back all that have not been handed out. */
  drain(): readonly J[];
  /** Whether the tenant has as many jobs under way as it may. */
  isFull(tenant: string): boolean;
};

/** `turn` counts up with every job that is handed out; a tenant that comes anew has had none. */
type Line<J> = { working: number; turn: number; readonly urgent: J[]; readonly usual: J[] };

export function createFairQueue<J>(perTenant: number): FairQueue<J> {
  const lines = new Map<string, Line<J>>();
  let turns = 0;

  const drop = <Value>(list: Value[], value: Value): void => {
    const at = list.indexOf(value);
    if (at >= 0) list.splice(at, 1);
  };
  const waiting = (tenant: string): number => {
    const line = lines.get(tenant);
    return line ? line.urgent.length + line.usual.length : 0;
  };
  const forget = (tenant: string): void => {
    if (waiting(tenant) === 0 && lines.get(tenant)?.working === 0) lines.delete(tenant);
  };

  return {
    add(tenant, job, isUrgent) {
      const line = lines.get(tenant) ?? { working: 0, turn: 0, urgent: [], usual: [] };
      lines.set(tenant, line);
      (isUrgent ? line.urgent : line.usual).push(job);
    },
    next() {
      const ready = [...lines].filter(([tenant, { working }]) => working < perTenant && waiting(tenant) > 0);
      const [first] = ready.sort(([, a], [, b]) => a.turn - b.turn);
      if (!first) return undefined;
      const [tenant, line] = first;
      turns += 1;
      line.turn = turns;
      line.working += 1;
      return { tenant, job: (line.urgent.shift() ?? line.usual.shift()) as J };
    },
    done(tenant) {
      const line = lines.get(tenant);
      if (line) line.working -= 1;
      forget(tenant);
    },
    remove(tenant, job) {
      const line = lines.get(tenant);
      if (!line) return;
      drop(line.urgent, job);
      drop(line.usual, job);
      forget(tenant);
    },
    waiting,
    drain: () =>
      [...lines.values()].flatMap(({ urgent, usual }) => [...urgent.splice(0), ...usual.splice(0)]),
    isFull: (tenant) => (lines.get(tenant)?.working ?? 0) >= perTenant,
  };
}
