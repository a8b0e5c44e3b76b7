import { HostError, isTerminal, type Owner, type RunId } from '@touchstone/protocol';
import { ControlPending, type Interrupt, type Interrupts, type Lease, type Run } from '../../ports/index.js';
import type { Parts } from '../parts.js';
import { isDue, write } from './drive-gated.js';
import { membersOf } from './gate-nodes.js';
import { interruptsOf, readHistory } from './history.js';
import { openScript } from './open-flow.js';

type Asked = Parameters<Interrupts['resolve']>[1];

/** How long an answer waits for whoever writes to the run at the moment, and how often it looks. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 20;

/** `drive` takes the run up again once an answer is in. */
export function createInterrupts(
  parts: Parts,
  drive: (owner: Owner, runId: RunId) => Promise<void>,
): Interrupts {
  return {
    async find(owner, runId, nodeId) {
      const run = await parts.store.runs.get(owner, runId);
      return run && latest(run, await readHistory(parts.store, run), nodeId);
    },
    async resolve(owner, asked) {
      // A question whose time is over is answered by the clock before anyone else.
      const before = await parts.store.runs.get(owner, asked.runId);
      if (before && isDue(before, parts.clock.now())) await drive(owner, asked.runId);
      const lease = await takeLease(parts, owner, asked);
      try {
        await answer(parts, lease, asked);
      } finally {
        await parts.store.leases.release(lease);
        // Whatever became of the answer: a cancel or a deadline that came meanwhile found the lease taken.
        await drive(owner, asked.runId);
      }
      return (await parts.store.runs.get(owner, asked.runId)) as Run;
    },
  };
}

const latest = (run: Run, history: Awaited<ReturnType<typeof readHistory>>, nodeId: string) =>
  interruptsOf(run, history).findLast((one) => one.nodeId === nodeId);

/** Answers are given one at a time: the lease is what makes the second of two see what the first has said. */
async function takeLease(parts: Parts, owner: Owner, { runId, nodeId }: Asked): Promise<Lease> {
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

async function answer(parts: Parts, lease: Lease, asked: Asked): Promise<void> {
  const run = (await parts.store.runs.get(lease.owner, lease.runId)) as Run;
  const history = await readHistory(parts.store, run);
  const now = parts.clock.now();
  const interrupt = checkOpen(run, latest(run, history, asked.nodeId), asked, now);
  const script = openScript(parts, run);
  if (!script) throw notFound(asked.nodeId);
  const value = await withoutSecrets(asked.value, parts.mask);
  const answered = script.answer(history, interrupt, { by: asked.by, value }, now);
  if (answered.chapter)
    await write({ parts, lease }, run, answered.chapter).catch((error) => {
      throw error instanceof ControlPending ? cancelled() : error;
    });
  if ('refusal' in answered) throw answered.refusal;
}

/** Reasons are kept for good, in a log that cannot be changed. */
async function withoutSecrets(value: unknown, mask: Parts['mask']): Promise<unknown> {
  const { reason } = membersOf(value);
  return typeof reason === 'string' ? { ...(value as object), reason: await mask(reason) } : value;
}

function checkOpen(run: Run, interrupt: Interrupt | undefined, asked: Asked, now: number): Interrupt {
  if (!interrupt) throw notFound(asked.nodeId);
  if (run.status === 'cancelled' || run.status === 'cancelling') throw cancelled();
  const other = asked.interruptId !== undefined && asked.interruptId !== interrupt.interruptId;
  if (interrupt.resolved || other || isTerminal(run.status) || isDue(run, now))
    throw new HostError('interrupt_already_resolved', 'This question has been answered already.', {
      runStatus: run.status,
    });
  return interrupt;
}

const notFound = (nodeId: string): HostError =>
  new HostError('interrupt_not_found', `No question of node ${nodeId} is open in this run.`);
const cancelled = (): HostError =>
  new HostError('interrupt_cancelled', 'The run was cancelled; nobody waits for this answer any more.');
