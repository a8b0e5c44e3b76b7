import type { Fork, Owner, RunId } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import type { AppendNotice, Log, Store } from '../../ports/index.js';
import type { Lane } from './webhook-lane.js';
import type { Lanes } from './webhook-lanes.js';
import type { Message } from './webhook-sender.js';

/** Takes what has been committed from the log to the lanes of whoever wants to know. */
type Intake = {
  start(): void;
  stop(): Promise<void>;
};

type IntakeParts = {
  readonly store: Pick<Store, 'log' | 'runs'>;
  readonly lanes: Lanes;
  readonly log: Log;
};

/** Events `from` to before `until` of a run, committed and not looked at yet. */
type Stretch = { readonly owner: Owner; readonly runId: RunId; readonly from: number; until: number };

const PAGE_EVENTS = 200;

export function createIntake(parts: IntakeParts): Intake {
  const { store, lanes, log } = parts;
  const waiting: Stretch[] = [];
  /** The last stretch of each run that waits. It grows while it does, so a busy run waits once, not once per commit. */
  const growing = new Map<RunId, Stretch>();
  let unwatch: (() => void) | undefined;
  let isStopped = false;
  let working: Promise<void> | undefined;

  const note = ({ owner, runId, firstSequence, eventCount }: AppendNotice): void => {
    if (lanes.hasNone(owner)) return;
    const last = growing.get(runId);
    if (last?.until === firstSequence) {
      last.until += eventCount;
      return;
    }
    const stretch = { owner, runId, from: firstSequence, until: firstSequence + eventCount };
    growing.set(runId, stretch);
    waiting.push(stretch);
    workNow();
  };

  const work = async (): Promise<void> => {
    for (let stretch = waiting.shift(); stretch && !isStopped; stretch = waiting.shift()) {
      if (growing.get(stretch.runId) === stretch) growing.delete(stretch.runId);
      await hand(parts, stretch, () => isStopped).catch((error) =>
        log.error('webhook.intakeFailed', { runId: stretch?.runId }, error),
      );
    }
  };
  const workNow = (): void => {
    working ??= work().finally(() => {
      working = undefined;
      // Something may have come between the last look and here.
      if (waiting.length > 0 && !isStopped) workNow();
    });
  };

  return {
    start() {
      unwatch ??= store.log.watchAll(note);
    },
    async stop() {
      unwatch?.();
      isStopped = true;
      await working;
    },
  };
}

async function hand(
  { store, lanes }: IntakeParts,
  { owner, runId, from, until }: Stretch,
  isStopped: () => boolean,
): Promise<void> {
  const all = await lanes.of(owner);
  const run = all.length > 0 ? await store.runs.get(owner, runId) : undefined;
  const first = run && firstNews(run.plan.fork, from);
  const listening = all.filter((lane) => lane.isOpenTo(run?.request.tags ?? []));
  if (first === undefined || listening.length === 0) return;
  for (let next = first; next < until && !isStopped(); ) {
    const events = await store.log.read(owner, runId, next - 1, PAGE_EVENTS);
    for (const event of events) if (event.sequence < until) offer(listening, owner, event);
    next = (events.at(-1)?.sequence ?? until) + 1;
  }
}

/** What a fork copies has been told when it happened. A replay has nothing new to tell at all. */
function firstNews(fork: Fork | undefined, from: number): number | undefined {
  if (!fork) return from;
  return fork.mode === 'replay' ? undefined : Math.max(from, fork.fromSeq);
}

function offer(lanes: readonly Lane[], owner: Owner, event: RunEvent): void {
  const interested = lanes.filter((lane) => lane.wants(event.type));
  if (interested.length === 0) return;
  const message = messageOf(owner, event);
  for (const lane of interested) lane.offer(message);
}

const messageOf = (owner: Owner, event: RunEvent): Message => ({
  runId: event.runId,
  sequence: event.sequence,
  type: event.type,
  body: JSON.stringify({ runId: event.runId, workspaceId: owner.workspace, event }),
});
