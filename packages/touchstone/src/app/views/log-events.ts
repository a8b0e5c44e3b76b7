import { setImmediate } from 'node:timers/promises';
import type { Owner, RunId } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import type { RunLog } from '../../ports/index.js';

/** Few, because one event may be megabytes long and a page is held as a whole. */
const PAGE_EVENTS = 64;

/**
 * The events of a run with a sequence below `end`, in order; without `end`, all there are. Long logs are read here from
 * one end to the other, so everyone else gets a turn between two pages.
 */
export async function* logEvents(
  log: Pick<RunLog, 'read'>,
  owner: Owner,
  runId: RunId,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<RunEvent, void> {
  for (let next = 0; next < end; ) {
    const page = await log.read(owner, runId, next - 1, PAGE_EVENTS);
    const last = page.at(-1);
    if (!last) return;
    for (const event of page) if (event.sequence < end) yield event;
    next = last.sequence + 1;
    await setImmediate();
  }
}
