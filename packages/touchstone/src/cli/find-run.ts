import { asId, type EvalPlan, type RunId } from '@touchstone/protocol';
import type { LocalTouchstone } from '../app/index.js';
import type { Run } from '../ports/index.js';
import { LOCAL_OWNER } from './local.js';
import { UsageError } from './usage-error.js';

export type EvalRun = Run & { readonly plan: EvalPlan };

const NTH_LAST = /^last(?:~(\d{1,4}))?$/;
const PAGE = 100;

/** How far back `last` (0) or `last~n` lies; undefined for any other name. */
export function placesBack(wanted: string): number | undefined {
  const [found, back = '0'] = NTH_LAST.exec(wanted) ?? [];
  return found === undefined ? undefined : Number(back);
}

/** A run by its id, the newest one for `last`, the one before it for `last~1`. */
export async function findRun(touchstone: LocalTouchstone, wanted: string): Promise<Run> {
  const back = placesBack(wanted);
  const run =
    back === undefined
      ? await touchstone.store.runs.get(LOCAL_OWNER, asId<RunId>(wanted))
      : await nthLast(touchstone, back);
  if (run) return run;
  throw noRun(wanted);
}

/**
 * A replay repeats an earlier run, and whoever says "last" means that one; whoever has promoted an agent since means the
 * evaluation all the same. Neither is counted.
 */
async function nthLast({ store }: LocalTouchstone, back: number): Promise<Run | undefined> {
  let left = back;
  for (let cursor: string | undefined; ; ) {
    const page = await store.runs.list(LOCAL_OWNER, {
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    const counted = page.items.filter(
      ({ plan }) => plan.kind !== 'deployment' && plan.fork?.mode !== 'replay',
    );
    if (counted[left]) return counted[left];
    left -= counted.length;
    cursor = page.nextCursor;
    if (cursor === undefined) return undefined;
  }
}

export function noRun(wanted: string): UsageError {
  const back = placesBack(wanted);
  if (back === undefined)
    return new UsageError(`There is no run ${wanted} here.`, 'See the runs kept here with: touchstone runs');
  return back === 0
    ? new UsageError('There is no run here yet.', 'Start one with: touchstone run <suite file>')
    : new UsageError(`There are not enough runs here for ${wanted}.`, 'See them with: touchstone runs');
}

export function asEvalRun(run: Run): EvalRun {
  if (run.plan.kind === 'eval') return run as EvalRun;
  throw run.plan.kind === 'deployment'
    ? new UsageError(
        `Run ${run.runId} is about a deployment and not an evaluation.`,
        `See what it did with: touchstone show ${run.runId}`,
      )
    : new UsageError(
        `Run ${run.runId} is not an evaluation.`,
        `See its events with: touchstone show ${run.runId} --events`,
      );
}

/** A run of the command line that is unfinished and that nobody drives: its process was stopped or killed. */
export const isInterrupted = ({ origin, status, leaseUntil = 0 }: Run, now: number): boolean =>
  origin === 'cli' && (status === 'pending' || status === 'running') && leaseUntil < now;

/** What a run is doing, in the words of whoever looks at it. */
export const stateOf = (run: Run, now: number): string =>
  isInterrupted(run, now) ? 'interrupted' : run.status;
