import type { Owner, RunId } from '@touchstone/protocol';
import { type Append, eventCountOf, type Lease, type StepResult, type Store } from '../../ports/index.js';

type Recent = {
  readonly owner: Owner;
  readonly runId: RunId;
  readonly rows: StepResult[];
  /** How many events have been appended. */
  sequence: number;
  isOver: boolean;
};

/** A longer run is read from the disk a page at a time, so that it needs no more memory than that. */
const MOST = 10_000;

/**
 * The same store, for a process that drives one run after the other and then tells what came of it. It keeps the results that it
 * has committed itself, of the last run, so that they are not read back. A log only grows at its end, and only by the
 * driver that holds its lease: what was committed from the first event on is how it begins.
 */
export function withRecentResults(store: Store, most = MOST): Store {
  const { log, retention } = store;
  let recent: Recent | undefined;
  const ofRun = ({ tenant, workspace }: Owner, runId: RunId): Recent | undefined =>
    recent?.runId === runId && recent.owner.tenant === tenant && recent.owner.workspace === workspace
      ? recent
      : undefined;

  const keep = ({ owner, runId }: Lease, { entries = [], firstSequence, run }: Append): void => {
    if (firstSequence === 0) recent = { owner, runId, rows: [], sequence: 0, isOver: false };
    const kept = ofRun(owner, runId);
    if (kept?.sequence !== firstSequence) {
      if (kept) recent = undefined;
      return;
    }
    for (const entry of entries) add(kept, entry);
    kept.isOver ||= run?.completedAt !== undefined;
    if (kept.rows.length > most) recent = undefined;
  };

  const keeping =
    <W extends Append>(write: (lease: Lease, whole: W) => Promise<void>) =>
    async (lease: Lease, whole: W): Promise<void> => {
      await write(lease, whole);
      keep(lease, whole);
    };

  return {
    ...store,
    log: {
      ...log,
      append: keeping(log.append),
      commit: keeping(log.commit),
      async results(owner, runId, offset, limit) {
        const kept = ofRun(owner, runId);
        return kept && (kept.isOver || offset + limit <= kept.rows.length)
          ? kept.rows.slice(offset, offset + limit)
          : log.results(owner, runId, offset, limit);
      },
    },
    retention: {
      ...retention,
      remove(owner, runId, ...rest) {
        if (ofRun(owner, runId)) recent = undefined;
        return retention.remove(owner, runId, ...rest);
      },
    },
  };
}

function add(kept: Recent, entry: NonNullable<Append['entries']>[number]): void {
  const firstSequence = kept.sequence;
  kept.sequence += eventCountOf(entry);
  if (entry.kind !== 'step' || !entry.result) return;
  const { ordinal, result } = entry;
  kept.rows.push({ ordinal, result, firstSequence, lastSequence: kept.sequence - 1 });
}
