import { isTerminal, redactDeep } from '@touchstone/protocol';
import { ControlPending, DeploymentsMoved, type Run } from '../../ports/index.js';
import { floorWorkflow } from '../kinds/floor-workflows.js';
import { beginning, stopping } from '../log/endings.js';
import { withMaskedInputs } from '../log/masked-inputs.js';
import type { Parts } from '../parts.js';
import type { DriveContext } from '../run/drive-context.js';
import { stopFrom } from '../run/watching.js';
import { type ApprovalFlow, joined, type LogStep, waiting } from './approval-flow.js';
import { hasChild, openChildFlow } from './child-flow.js';
import { openDeployment } from './deployment.js';
import { type History, openInterrupt, readHistory } from './history.js';
import { asksPeople, openQuestionFlow } from './workflow-questions.js';

/** The flow of a run that asks people; undefined for runs that only work. */
export function openFlow(parts: Parts, run: Run): ApprovalFlow | undefined {
  const { plan } = run;
  if (plan.kind === 'deployment') return openDeployment(parts, run, plan);
  if (plan.kind !== 'workflow') return undefined;
  const nodes = floorWorkflow(plan.workflowId)?.nodes ?? [];
  const parent = nodes.find(hasChild);
  if (parent) return openChildFlow(parts, run, parent);
  return nodes.some(asksPeople) ? openQuestionFlow(run, plan) : undefined;
}

/** Writes one step after another until the run has ended, waits for an answer, or has to stop. */
export async function driveFlow(context: DriveContext, found: Run, flow: ApprovalFlow): Promise<void> {
  const { parts, lease, state } = context;
  for (let run: Run | undefined = found; run && !state.leaving; ) {
    const now = parts.clock.now();
    if (isAtRest(run, now)) return;
    const shown = await withMaskedInputs(parts, run);
    const step = await nextLogStep(shown, await readHistory(parts.store, run), flow, now);
    await write(context, run, step).catch((error) => {
      // Another deployment, a cancel or a pause came first. The next step is decided again from what is stored now.
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

async function nextLogStep(run: Run, history: History, flow: ApprovalFlow, now: number): Promise<LogStep> {
  if (history.length === 0) {
    const { events, run: row } = beginning(run, [], now);
    const first = await (run.control ? stopped(run, flow, now) : flow.next(history, now));
    return { ...first, events: joined(events, first.events), run: { ...row, ...first.run } };
  }
  if (run.control) return stopped(run, flow, now);
  const interrupt = openInterrupt(run, history);
  if (!interrupt && isOutOfTime(run, now)) {
    await flow.letGo?.(run.principal);
    return outOfTime(run, now);
  }
  if (!interrupt) return flow.next(history, now);
  if (flow.timeout && interrupt.deadline !== undefined && interrupt.deadline <= now)
    return flow.timeout(history, interrupt, now);
  if (isDue(run, now)) return outOfTime(run, now);
  // The question was copied, or asked before a pause: there is nothing to write, the run only waits.
  return { events: [], run: waiting(run, interrupt) };
}

async function stopped(run: Run, flow: ApprovalFlow, now: number): Promise<LogStep> {
  const stop = stopFrom(run.control as never);
  if (stop.kind === 'cancel') await flow.letGo?.(stop.by);
  const { events, run: row } = stopping(run, stop, now, 0);
  return { events, run: { ...row, waitUntil: null } };
}

const isOutOfTime = ({ plan, startedAt, pausedMs }: Run, now: number): boolean =>
  plan.runTimeoutMs !== undefined &&
  startedAt !== undefined &&
  now >= startedAt + pausedMs + plan.runTimeoutMs;

const outOfTime = (run: Run, now: number): LogStep => {
  const limitMs = run.plan.runTimeoutMs ?? 0;
  const observedMs = now - (run.startedAt ?? now) - run.pausedMs;
  const { events, run: row } = stopping(run, { kind: 'timeout', limitMs, observedMs }, now, 0);
  return { events, run: { ...row, waitUntil: null } };
};

export async function write(
  { parts, lease }: Pick<DriveContext, 'parts' | 'lease'>,
  run: Run,
  { events, ...beside }: LogStep,
): Promise<void> {
  await parts.store.log.append(lease, {
    ...(events.length > 0 && { entries: [{ kind: 'events', events: redactDeep(events, parts.redact) }] }),
    firstSequence: run.eventCount,
    ...beside,
    run: beside.run ?? {},
    ...(!run.control && { unlessControlled: true }),
  });
}
