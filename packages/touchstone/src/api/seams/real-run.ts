import { HostError, isTerminal, type Owner, type RunId } from '@touchstone/protocol';
import type { EventType, Payloads, RunEvent } from '@touchstone/protocol/bodies';
import type { CreateRunBody } from '../../app/index.js';
import { checkScope } from '../../app/index.js';
import type { Run } from '../../ports/index.js';
import type { Call } from '../endpoint.js';
import { findRun, type Services } from '../services.js';
import { listening } from '../streams/wakeups.js';

// Seams make nothing up: what they answer is read from runs that were made and driven like any other.

/** Starts a run as the caller could have, and waits for its end. Only a seam can say what it is called. */
export async function runToEnd(
  host: Services,
  call: Call,
  body: CreateRunBody,
  seamRunId?: RunId,
): Promise<Run> {
  checkScope(call.principal, 'runs:create');
  const run = await host.touchstone.createRun(call.principal, body, seamRunId ? { seamRunId } : {});
  host.follow(run);
  return waitForEnd(host, call, run.runId);
}

const MAX_WAIT_MS = 60_000;

function waitForEnd(host: Services, call: Call, runId: RunId): Promise<Run> {
  const gone = call.untilGone();
  const giveUpAt = host.clock.elapsed() + MAX_WAIT_MS;
  return listening(host.feed.wakeups, runId, gone, async (wakeup) => {
    for (;;) {
      const run = await findRun(host, { ...call, params: { runId } });
      if (isTerminal(run.status)) return run;
      const leftMs = giveUpAt - host.clock.elapsed();
      if (leftMs <= 0 || gone.aborted)
        throw new HostError('unavailable', 'The sample run did not end in time.', { retryAfter: 1 });
      await wakeup.next(leftMs);
    }
  });
}

/** Everything in a run's log so far; nothing for a run that is not there. */
export async function eventsOf({ feed }: Services, owner: Owner, runId: RunId): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for (let after = -1; ; ) {
    const page = await feed.pages.read(owner, runId, after);
    events.push(...page.events);
    if (page.events.length === 0 || page.complete) return events;
    after = page.lastSequence;
  }
}

/** What the newest event of a type says. */
export const payloadOf = <T extends EventType>(
  events: readonly RunEvent[],
  type: T,
): Payloads[T] | undefined =>
  events.findLast((event) => event.type === type)?.payload as Payloads[T] | undefined;
