import { asId, type RunId } from '@touchstone/protocol';
import type { Client, RunSnapshot } from '@touchstone/sdk';
import { placesBack } from '../../find-run.js';
import type { Context } from '../../io.js';
import { UsageError } from '../../usage-error.js';
import { type BaselineChoice, isFile, LOOKED_AT } from './baseline-choice.js';
import { type Measured, pickOfEach } from './earlier-runs.js';

/** A run on another host that wants a baseline. Not every way to name a suite tells its version and its digest. */
export type WantingThere = {
  readonly suiteRef: string;
  readonly suiteDigest?: string;
  readonly agentId: string;
  readonly repeats: number;
};

/** On another host only what that host knows can be compared with. */
export function checkRemoteBaseline(context: Context, wish: string | undefined): void {
  if (wish === undefined || (wish !== 'blessed' && !isFile(context, wish))) return;
  throw new UsageError(
    '--baseline with --host takes last or the id of a run of that host.',
    'Blessed runs and scorecard files are known here only: leave --host out, or name a run of that host.',
  );
}

export async function chooseRemoteBaseline(
  client: Client,
  wish: string,
  wanting: WantingThere,
): Promise<BaselineChoice> {
  const back = placesBack(wish);
  if (back === undefined) return { candidates: [asId<RunId>(wish)] };
  const [suiteId = ''] = wanting.suiteRef.split('@');
  const [agentId = ''] = wanting.agentId.split('@');
  const { items } = await client.runs.list({ suiteId, agentId, status: 'completed', limit: LOOKED_AT });
  const originals = items.filter(isOriginal);
  const alike = originals.filter((run) => isAlike(run, wanting));
  return { candidates: pickOfEach(alike.map(measuredOf), back), earlier: originals.map(measuredOf) };
}

/** The members of a snapshot that hosts of this kind add. */
type ToldPlan = {
  readonly suite?: { readonly ref: string; readonly digest: string };
  readonly repeats?: number;
  readonly tasks?: { readonly selected: number };
  readonly judge?: { readonly digest: string };
  readonly safetyJudge?: { readonly digest: string };
  readonly safetyPolicy?: string;
  readonly fork?: object;
  readonly rejudgeOf?: string;
};

const planOf = ({ touchstone }: RunSnapshot): ToldPlan => (touchstone ?? {}) as ToldPlan;

function isOriginal(run: RunSnapshot): boolean {
  const { suite, fork, rejudgeOf } = planOf(run);
  return suite !== undefined && fork === undefined && rejudgeOf === undefined;
}

function isAlike(run: RunSnapshot, { suiteRef, suiteDigest, repeats }: WantingThere): boolean {
  const { suite, repeats: before } = planOf(run);
  if (before !== repeats) return false;
  return suiteDigest === undefined
    ? !suiteRef.includes('@') || suite?.ref === suiteRef
    : suite?.digest === suiteDigest;
}

/** Which tasks of the suite were selected is not told, only how many. */
function measuredOf(run: RunSnapshot): Measured {
  const { suite, repeats = 1, tasks, judge, safetyJudge, safetyPolicy } = planOf(run);
  return {
    runId: run.runId,
    suite: suite?.digest ?? '',
    repeats,
    tasks: String(tasks?.selected),
    judge: judge?.digest ?? '',
    safety: JSON.stringify([safetyJudge?.digest, safetyPolicy]),
  };
}

/** How a run there was measured. */
export const measureThere = async (client: Client, runId: RunId): Promise<Measured> =>
  measuredOf(await client.runs.get(runId));
