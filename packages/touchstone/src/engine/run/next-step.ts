import type { AccessDenial, RunId, Score, UnscoredReason } from '@touchstone/protocol';
import type { DrainPolicy } from '@touchstone/protocol/bodies';

/** Why a run must not go on as planned. */
export type Stop =
  | {
      readonly kind: 'cancel';
      readonly by: string;
      readonly reason?: string;
      readonly parentRunId?: RunId;
    }
  | { readonly kind: 'timeout'; readonly limitMs: number; readonly observedMs: number }
  | { readonly kind: 'budget'; readonly limitUsd: number }
  | { readonly kind: 'storage' }
  | { readonly kind: 'denied'; readonly denial: AccessDenial }
  | { readonly kind: 'lost'; readonly times: number }
  /** The agent's files have been written to. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'pause'; readonly drainPolicy: DrainPolicy; readonly reason?: string };

/** Everything the decision depends on, and nothing else. */
export type View = {
  /** This process must let go of the run (shutdown, or another driver took it over). */
  readonly leaving: boolean;
  /** This process is to let go of the run when what runs has finished. */
  readonly draining: boolean;
  readonly crashed: boolean;
  /** A failed step after which none may start. */
  readonly halted: boolean;
  readonly stop: Stop | undefined;
  readonly aborted: boolean;
  /** Units that wait for a slot have been let go. */
  readonly withdrawn: boolean;
  /** The lease may have run out, so that another process may have the run: nothing begins before it was renewed. */
  readonly unsure: boolean;
  /** More than the ceiling has been spent. */
  readonly overspent: boolean;
  /** Something is left to start, or was aborted. While nothing stops the run, that means: left to start. */
  readonly unfinished: boolean;
  readonly running: number;
  /** How many more units may be handed over ahead of a slot. */
  readonly ahead: number;
  /** ExecutionResult and not yet on disk. */
  readonly uncommitted: number;
  /** How many of the units that are left may begin here now. */
  readonly free: number;
};

/** `queue`: hands a unit over that begins in the slot of another one. */
export type Step =
  | 'start'
  | 'queue'
  | 'wait'
  | 'withdraw'
  | 'abort'
  | 'leave'
  | 'crash'
  | 'stop'
  | 'complete';

/** ExecutionResult work may run ahead of the disk by this much; beyond it, starting more would only grow memory. */
const AHEAD = 512;

/** Cancel, timeout, full storage, denied access, a changed agent and an immediate pause abort what runs; a draining pause and the cost ceiling let it finish. */
const abortsRunning = (view: View): boolean => {
  if (view.leaving || view.crashed) return true;
  if (view.stop?.kind === 'pause') return view.stop.drainPolicy === 'immediate';
  return view.stop !== undefined && view.stop.kind !== 'budget';
};

const LIMITS: ReadonlySet<Stop['kind']> = new Set(['timeout', 'budget', 'storage']);

/** The whole run loop as one pure decision: from what is known to what is done next. */
export function nextStep(view: View): Step {
  const isLast = view.leaving || view.crashed || view.halted || view.stop !== undefined;
  const stopping = isLast || view.draining;
  const mayStart = view.unfinished && view.uncommitted < AHEAD && !view.unsure;
  if (!stopping && mayStart && view.free > 0) return 'start';
  if (!stopping && mayStart && view.ahead > 0) return 'queue';
  // What waits for a slot has not begun, so no stop lets it finish.
  if (view.running > 0 && stopping && !view.withdrawn) return 'withdraw';
  if (view.running > 0) return abortsRunning(view) && !view.aborted ? 'abort' : 'wait';
  if (view.uncommitted > 0 || (view.unsure && view.unfinished && !stopping)) return 'wait';
  if (view.leaving) return 'leave';
  if (view.crashed) return 'crash';
  if (!isLast && view.draining && view.unfinished) return 'leave';
  // A limit that is reached with nothing left to do has come too late; what a person asked for is never too late, and
  // without access there is nothing to complete. Money that is gone is gone, whatever is left to do.
  const isLimit = view.stop !== undefined && LIMITS.has(view.stop.kind);
  return view.stop && (view.unfinished || view.overspent || !isLimit) ? 'stop' : 'complete';
}

/** Sums of prices are not exact: what differs by less is the same money. */
const SAME_MONEY = 1e-9;

/** Whether a run has spent more than its ceiling. To have spent all of it is no breach. */
export const isOverspent = (stop: Stop | undefined, spentUsd: number): boolean =>
  stop?.kind === 'budget' && spentUsd > stop.limitUsd * (1 + SAME_MONEY);

/** What a drive has seen of the agent's provider. Changed in place: it is counted for every unit. */
export type AccessCount = { answered: boolean; deniedInRow: number };

/** So many refusals in a row end a run that was let in before: a key can be revoked, or credit run out, in between. */
const MAX_DENIED_IN_ROW = 5;

/** Whether the agent's provider lets this host in is not known from these. */
const TELLS_NOTHING: ReadonlySet<UnscoredReason> = new Set([
  'agent_unreachable',
  'user_denied',
  'user_unreachable',
  'user_unreadable',
]);

/** Counts one unit; returns the refusal when it is time to give up. Before the first answer one is enough. */
export function countAccess(count: AccessCount, score: Score): AccessDenial | undefined {
  if (score.kind === 'unscored' && TELLS_NOTHING.has(score.reason)) return undefined;
  const denial = score.kind === 'unscored' && score.reason === 'agent_denied' ? score.denial : undefined;
  count.deniedInRow = denial ? count.deniedInRow + 1 : 0;
  count.answered ||= !denial;
  return count.answered && count.deniedInRow < MAX_DENIED_IN_ROW ? undefined : denial;
}

/** The first reason to stop counts: a limit reached while a pause drains is for later. Only a cancel goes before it. */
export const graverStop = (held: Stop | undefined, incoming: Stop): Stop =>
  held && (held.kind === 'cancel' || incoming.kind !== 'cancel') ? held : incoming;
