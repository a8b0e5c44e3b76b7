import { HostError, timestampOf } from '@touchstone/protocol';
import type { Run } from '../../ports/index.js';

/** Refuses what needs the content of a run that no longer has it. `what` is what cannot be done, e.g. `replayed`. */
export function checkBodies({ runId, bodiesRemovedAt }: Run, what: string): void {
  if (bodiesRemovedAt === undefined) return;
  const at = timestampOf(bodiesRemovedAt);
  throw new HostError(
    'bodies_removed',
    `The content of run ${runId} was removed on ${at.slice(0, 10)}, so it cannot be ${what}. Its scores are still there.`,
    { runId, bodiesRemovedAt: at },
  );
}
