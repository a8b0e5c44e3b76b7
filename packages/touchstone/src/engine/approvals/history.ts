import type { Payloads, RunEvent } from '@touchstone/protocol/bodies';
import type { Interrupt, Run, Store } from '../../ports/index.js';

/** Everything that a run which asks people has written so far. Such runs are short: a handful of events for every question. */
export type History = readonly RunEvent[];

const PAGE = 1_000;

export async function readHistory(store: Store, { owner, runId }: Run): Promise<History> {
  const events: RunEvent[] = [];
  for (let page = await store.log.read(owner, runId, -1, PAGE); page.length > 0; ) {
    events.push(...page);
    page = await store.log.read(owner, runId, (events.at(-1) as RunEvent).sequence, PAGE);
  }
  return events;
}

export const eventsOf = <T extends RunEvent['type']>(
  history: History,
  type: T,
): readonly (Omit<RunEvent, 'payload'> & { readonly payload: Payloads[T] })[] =>
  history.filter((event) => event.type === type) as never;

/** The questions of a run, oldest first. A question is the pair of its request and the suspension that names it. */
export function interruptsOf({ runId }: Pick<Run, 'runId'>, history: History): readonly Interrupt[] {
  const answered = new Set(eventsOf(history, 'interrupt.resolved').map(({ payload }) => payload.interruptId));
  return eventsOf(history, 'node.suspended').map(({ payload, causationId, timestamp }) => {
    const { nodeId, interruptId, key, kind } = payload;
    const request = history.find(({ eventId }) => eventId === causationId)
      ?.payload as Payloads['interrupt.requested'];
    const requestedAt = Date.parse(timestamp);
    return {
      runId,
      nodeId,
      interruptId,
      key,
      kind,
      data: request.data,
      ...(request.resumeSchema !== undefined && { resumeSchema: request.resumeSchema }),
      requestedAt,
      ...(request.timeoutMs !== undefined && { deadline: requestedAt + request.timeoutMs }),
      resolved: answered.has(interruptId),
    };
  });
}

export const openInterrupt = (run: Pick<Run, 'runId'>, history: History): Interrupt | undefined =>
  interruptsOf(run, history).findLast(({ resolved }) => !resolved);

/** What a node's question is remembered by: the same key is never asked, nor answered, twice in a run. */
export const nextKey = (run: Pick<Run, 'runId'>, nodeId: string, history: History) => {
  const count = interruptsOf(run, history).length;
  return { key: `${run.runId}:${nodeId}:${count}`, interruptId: `interrupt-${count + 1}` };
};
