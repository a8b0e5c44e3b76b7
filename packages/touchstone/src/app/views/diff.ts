import { agentNamed, isTerminal, type Owner, type RunId } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import type { RunDiffResponseWire } from '@touchstone/protocol/wire';
import type { Run, RunLog, Runs } from '../../ports/index.js';
import { checkBodies } from '../retention/removed-bodies.js';
import { comparableLine, logEvents } from './log-normalisation.js';
import { ownRun } from './run-measurement.js';

export type RunDiff = RunDiffResponseWire;
export type DiffParts = { readonly runs: Pick<Runs, 'get'>; readonly log: Pick<RunLog, 'read'> };
type EventDiff = RunDiff['eventDiffs'][number];

const MAX_DIFFS = 1_000;
const MAX_EVENT_BYTES = 4_000_000;

/** What differs between two runs of one owner, event by event of the same sequence and in how they ended. */
export async function diffRuns(parts: DiffParts, owner: Owner, a: RunId, b: RunId): Promise<RunDiff> {
  const before = await ownRun(parts, owner, a);
  const after = a === b ? before : await ownRun(parts, owner, b);
  for (const run of [before, after]) checkBodies(run, 'compared event by event');
  const { eventDiffs, cut } = a === b ? NOTHING : await compareLogs(parts.log, before, after);
  const unfinished = !isTerminal(before.status) || !isTerminal(after.status);
  return {
    a,
    b,
    divergedAtSeq: eventDiffs[0]?.seq ?? null,
    eventDiffs,
    stateDiff: stateDiff(before, after),
    ...((cut || unfinished) && { truncated: true }),
  };
}

type EventPair = { readonly eventDiffs: readonly EventDiff[]; readonly cut: boolean };
const NOTHING: EventPair = { eventDiffs: [], cut: false };

/**
 * Both logs, side by side, as far as they went when their runs were looked up. Ends at the last difference there is room
 * for: the one that no longer fits is listed by its place alone, so that the first one is always there, however large.
 * Room is counted over both events together: turned around, the same diff ends at the same place.
 */
async function compareLogs(log: DiffParts['log'], a: Run, b: Run): Promise<EventPair> {
  const left = logEvents(log, a.owner, a.runId, a.eventCount);
  const right = logEvents(log, b.owner, b.runId, b.eventCount);
  const eventDiffs: EventDiff[] = [];
  let bytes = 0;
  for (;;) {
    const aEvent = (await left.next()).value ?? undefined;
    const bEvent = (await right.next()).value ?? undefined;
    const diff = diffOf(aEvent, bEvent);
    if (diff === 'end') return { eventDiffs, cut: false };
    if (diff === 'same') continue;
    if (eventDiffs.length === MAX_DIFFS) return { eventDiffs, cut: true };
    bytes += bytesOf(aEvent) + bytesOf(bEvent);
    if (bytes > MAX_EVENT_BYTES)
      return { eventDiffs: [...eventDiffs, { seq: diff.seq, op: diff.op }], cut: true };
    eventDiffs.push(diff);
  }
}

function diffOf(aEvent: RunEvent | undefined, bEvent: RunEvent | undefined): EventDiff | 'same' | 'end' {
  if (aEvent && bEvent) {
    if (comparableLine(aEvent) === comparableLine(bEvent)) return 'same';
    return { seq: aEvent.sequence, op: 'changed', aEvent, bEvent };
  }
  if (aEvent) return { seq: aEvent.sequence, op: 'removed', aEvent };
  return bEvent ? { seq: bEvent.sequence, op: 'added', bEvent } : 'end';
}

const bytesOf = (event: RunEvent | undefined): number =>
  event ? Buffer.byteLength(JSON.stringify(event)) : 0;

/**
 * Where the runs stand, as names and codes: no content and no credential can be among them. The protocol also speaks of
 * `variables` and `channels`; runs of this host have none, so these never differ. Beyond the protocol's words it tells
 * when the two are not runs of the same thing: `workflowId`, `agent` (as `id@version`), `suite` (by digest).
 */
function stateDiff(a: Run, b: Run): RunDiff['stateDiff'] {
  const [before, after] = [stateOf(a), stateOf(b)];
  const differing = (Object.keys(before) as (keyof State)[]).filter((name) => before[name] !== after[name]);
  return Object.fromEntries(differing.map((name) => [name, { a: before[name], b: after[name] }]));
}

type State = ReturnType<typeof stateOf>;

const stateOf = ({ status, error, workflowId, plan }: Run) => ({
  status,
  error: error?.code ?? null,
  workflowId,
  agent: agentNamed(plan) ?? null,
  suite: plan.kind === 'eval' ? plan.suite.digest : null,
});
