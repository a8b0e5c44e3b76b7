import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  asId,
  canonicalJson,
  type Digest,
  type EvalSummary,
  type Json,
  type Owner,
  type RunId,
} from '@touchstone/protocol';
import type { EventType, Payloads, RunEvent } from '@touchstone/protocol/bodies';
import type { RunLog } from '../../ports/index.js';

type Members = { readonly [name: string]: unknown };

/**
 * What two runs must share for an event to be the same in both, as one line of text: its place, its type, its node and
 * its payload. The clock is left out, and so are the event's own names (ids of event, run and cause), which are new in
 * every run.
 */
export function comparableLine(event: RunEvent): string {
  return canonicalJson([event.sequence, event.type, event.nodeId ?? null, withoutClock(event) as Json]);
}

/** Durations this host measures itself. A member of the same name inside an answer or a tool's inputs is content. */
const DURATIONS: { readonly [T in EventType]?: string } = {
  'run.completed': 'durationMs',
  'run.failed': 'durationMs',
  'run.cancelled': 'durationMs',
  'node.completed': 'durationMs',
  'agent.toolReturned': 'durationMs',
  'eval.scored': 'latencyMs',
};

function withoutClock({ type, payload }: RunEvent): Members {
  const duration = DURATIONS[type];
  const rest: Members = duration === undefined ? payload : without(payload, duration);
  if (type === 'run.completed' && isSummary(rest.outputs))
    return { ...rest, outputs: comparableSummary(rest.outputs) };
  if (type === 'cap.breached' && rest.kind === 'run-duration') return without(rest, 'observed');
  if (type === 'run.failed') return { ...rest, error: comparableError((payload as FailurePayload).error) };
  return rest;
}

type FailurePayload = Payloads['run.failed'];

/** How long a run had taken when its time was up. */
const comparableError = (error: FailurePayload['error']): Members =>
  error.details ? { ...error, details: without(error.details, 'elapsedMs') } : error;

function without(members: Members, name: string): Members {
  const { [name]: _leftOut, ...rest } = members;
  return rest;
}

// Runs of an agent or a workflow wrap their outputs in members of other names, so nothing of theirs looks like this.
const isSummary = (outputs: unknown): outputs is EvalSummary =>
  typeof outputs === 'object' &&
  outputs !== null &&
  'aggregateScore' in outputs &&
  'suiteVersion' in outputs &&
  'tasks' in outputs &&
  Array.isArray(outputs.tasks);

/** `diffRef` repeats the run's own id, and says nothing that `baselineRunId` beside it does not. */
const comparableSummary = (summary: EvalSummary): Members => ({
  ...summary,
  tasks: summary.tasks.map((task) => without(task, 'latencyMs')),
  ...(summary.regression && { regression: without(summary.regression, 'diffRef') }),
});

/** Of a run's comparable lines: equal runs have equal digests, and so has a replay of one of them. */
export async function logDigest(
  { log }: { readonly log: Pick<RunLog, 'read'> },
  owner: Owner,
  runId: RunId,
): Promise<{ readonly events: number; readonly digest: Digest }> {
  const hash = createHash('sha256');
  let events = 0;
  for await (const event of logEvents(log, owner, runId)) {
    hash.update(events === 0 ? comparableLine(event) : `\n${comparableLine(event)}`);
    events += 1;
  }
  return { events, digest: asId<Digest>(`sha256:${hash.digest('hex')}`) };
}

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
