import { isTerminal, redactDeep } from '@touchstone/protocol';
import { ControlPending, DeploymentsMoved, type Run } from '../../ports/index.js';
import { beginning, stopping } from '../log/endings.js';
import type { Driving } from '../run/drive-context.js';
import { stopFrom } from '../run/watching.js';
import { type Chapter, joined, type Script, waiting } from './approval-flow.js';
import { type History, openInterrupt, readHistory } from './history.js';

/** Writes chapter after chapter until the run has ended, waits for someone, or was told to stop. */
export async function driveGated(driving: Driving, found: Run, script: Script): Promise<void> {
  const { parts, lease, state } = driving;
  for (let run: Run | undefined = found; run && !state.leaving; ) {
    const now = parts.clock.now();
    if (isAtRest(run, now)) return;
    const chapter = await nextChapter(run, await readHistory(parts.store, run), script, now);
    await write(driving, run, chapter).catch((error) => {
      // Someone else's move, or an order to stop, came first. What to do now is decided anew, on the new picture.
      if (!(error instanceof DeploymentsMoved || error instanceof ControlPending)) throw error;
    });
    run = await parts.store.runs.get(lease.owner, lease.runId);
  }
}

const isAtRest = (run: Run, now: number): boolean =>
  isTerminal(run.status) ||
  (run.control === undefined && (run.status === 'paused' || isWaiting(run)) && !isDue(run, now));

export const isWaiting = ({ status }: Run): boolean => status.startsWith('waiting-');
export const isDue = ({ waitUntil }: Run, now: number): boolean =>
  waitUntil !== undefined && waitUntil <= now;

async function nextChapter(run: Run, history: History, script: Script, now: number): Promise<Chapter> {
  if (history.length === 0) {
    const { events, run: row } = beginning(run, [], now);
    const first = run.control ? stopped(run, now) : await script.next(history, now);
    return { ...first, events: joined(events, first.events), run: { ...row, ...first.run } };
  }
  if (run.control) return stopped(run, now);
  const interrupt = openInterrupt(run, history);
  if (!interrupt) return script.next(history, now);
  if (script.timeout && interrupt.deadline !== undefined && interrupt.deadline <= now)
    return script.timeout(history, interrupt, now);
  if (isDue(run, now)) return outOfTime(run, now);
  // The question was copied, or asked before a pause: there is nothing to say, only to wait.
  return { events: [], run: waiting(run, interrupt) };
}

const stopped = (run: Run, now: number): Chapter => {
  const { events, run: row } = stopping(run, stopFrom(run.control as never), now, 0);
  return { events, run: { ...row, waitUntil: null } };
};

const outOfTime = (run: Run, now: number): Chapter => {
  const limitMs = run.plan.runTimeoutMs ?? 0;
  const observedMs = now - (run.startedAt ?? now) - run.pausedMs;
  const { events, run: row } = stopping(run, { kind: 'timeout', limitMs, observedMs }, now, 0);
  return { events, run: { ...row, waitUntil: null } };
};

export async function write(
  { parts, lease }: Pick<Driving, 'parts' | 'lease'>,
  run: Run,
  { events, ...beside }: Chapter,
): Promise<void> {
  await parts.store.log.commit(lease, {
    ...(events.length > 0 && { entries: [{ kind: 'events', events: redactDeep(events, parts.redact) }] }),
    firstSequence: run.eventCount,
    ...beside,
    run: beside.run ?? {},
    ...(!run.control && { unlessControlled: true }),
  });
}
