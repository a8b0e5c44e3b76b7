import { HostError, isTerminal, type Owner, type RunId } from '@touchstone/protocol';
import {
  ControlPending,
  type Interrupt,
  type InterruptAnswer,
  type Interrupts,
  type Lease,
  type Run,
} from '../../ports/index.js';
import type { Parts } from '../parts.js';
import { membersOf } from './approval-flow.js';
import { approvalsGiven } from './approvals.js';
import { isDue, openFlow, write } from './drive-flow.js';
import { eventsOf, type History, interruptsOf, readHistory } from './history.js';
import { votesOf } from './votes.js';

/** How long an answer waits for the process that writes to the run at the moment, and how often it looks. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 20;

/** `drive` takes the run up again once an answer is in. */
export function createInterrupts(
  parts: Parts,
  drive: (owner: Owner, runId: RunId) => Promise<void>,
): Interrupts {
  return {
    async approval(owner, runId) {
      const run = await parts.store.runs.get(owner, runId);
      if (run?.plan.kind !== 'deployment' || run.status !== 'waiting-approval') return undefined;
      const history = await readHistory(parts.store, run);
      const policy = run.plan.intent?.approvals[approvalsGiven(history)];
      const granted = new Set(votesOf(history).map(({ principal }) => principal)).size;
      return policy && { policy, granted };
    },
    async find(owner, runId, nodeId) {
      const run = await parts.store.runs.get(owner, runId);
      return run && latest(run, await readHistory(parts.store, run), nodeId);
    },
    async resolve(owner, given) {
      // A question past its deadline times out before any answer counts.
      const before = await parts.store.runs.get(owner, given.runId);
      if (before && isDue(before, parts.clock.now())) await drive(owner, given.runId);
      const lease = await takeLease(parts, owner, given);
      try {
        await answer(parts, lease, given);
      } finally {
        await parts.store.leases.release(lease);
        // In every case: a cancel or a deadline that came meanwhile found the lease taken.
        await drive(owner, given.runId);
      }
      const after = await parts.store.runs.get(owner, given.runId);
      // It ended with this answer, and somebody has removed it since.
      if (!after) throw notFound(given.nodeId);
      return after;
    },
  };
}

const latest = (run: Run, history: Awaited<ReturnType<typeof readHistory>>, nodeId: string) =>
  interruptsOf(run, history).findLast((one) => one.nodeId === nodeId);

/** Answers are given one at a time: the lease is what makes the second of two see what the first has said. */
async function takeLease(parts: Parts, owner: Owner, { runId, nodeId }: InterruptAnswer): Promise<Lease> {
  const giveUpAt = parts.clock.elapsed() + PATIENCE_MS;
  for (;;) {
    if (!(await parts.store.runs.get(owner, runId))) throw notFound(nodeId);
    const lease = await parts.store.leases.take(owner, runId, parts.limits.leaseMs);
    if (lease) return lease;
    if (parts.clock.elapsed() >= giveUpAt)
      throw new HostError('unavailable', 'The run is busy. Send the answer again.', { retryAfter: 1 });
    await parts.clock.sleep(LOOK_MS);
  }
}

async function answer(parts: Parts, lease: Lease, given: InterruptAnswer): Promise<void> {
  const run = await parts.store.runs.get(lease.owner, lease.runId);
  if (!run) throw notFound(given.nodeId);
  const history = await readHistory(parts.store, run);
  const now = parts.clock.now();
  if (run.status === 'cancelled' || run.status === 'cancelling') checkGone(run, history);
  const interrupt = checkOpen(run, latest(run, history, given.nodeId), given, now);
  const flow = openFlow(parts, run);
  if (!flow) throw notFound(given.nodeId);
  const value = await withoutSecrets(parts, run, interrupt, given.value);
  const result = flow.answer(history, interrupt, { by: given.by, value }, now);
  if (result.step)
    await write({ parts, lease }, run, result.step).catch((error) => {
      throw error instanceof ControlPending ? cancelled() : error;
    });
  if ('refusal' in result) throw result.refusal;
}

/** Reasons, and what other systems send, are kept for good, in a log that cannot be changed. */
async function withoutSecrets(
  { mask, maskDeep }: Parts,
  { owner }: Run,
  { kind }: Interrupt,
  value: unknown,
): Promise<unknown> {
  if (kind === 'external-event') return maskDeep(owner, value);
  const { reason } = membersOf(value);
  return typeof reason === 'string' ? { ...(value as object), reason: await mask(reason) } : value;
}

function checkOpen(
  run: Run,
  interrupt: Interrupt | undefined,
  given: InterruptAnswer,
  now: number,
): Interrupt {
  if (!interrupt) throw notFound(given.nodeId);
  if (run.status === 'cancelled' || run.status === 'cancelling') throw cancelled();
  const other = given.interruptId !== undefined && given.interruptId !== interrupt.interruptId;
  if (interrupt.resolved || other || isTerminal(run.status) || isDue(run, now))
    throw new HostError('interrupt_already_resolved', 'This question has been answered already.', {
      runStatus: run.status,
    });
  return interrupt;
}

/** A question of a run that was cancelled along with its parent is gone, whoever asks. */
function checkGone({ control }: Run, history: History): void {
  const ended = eventsOf(history, 'run.cancelled').at(-1);
  const cancelled = control?.kind === 'cancel' ? control : ended?.payload;
  if (cancelled?.parentRunId !== undefined)
    throw new HostError('interrupt_gone', 'The run was cancelled together with the run that started it.');
}

const notFound = (nodeId: string): HostError =>
  new HostError('interrupt_not_found', `No question of node ${nodeId} is open in this run.`);
const cancelled = (): HostError =>
  new HostError('interrupt_cancelled', 'The run was cancelled and no longer waits for an answer.');
