import { asId, type RunId } from '@touchstone/contract';
import type { Client, RunSnapshot } from '@touchstone/sdk';
import { type BaselineChoice, isFile, LOOKED_AT, type Measured, newestOfEach } from './baseline-choice.js';
import type { Context } from './io.js';
import { UsageError } from './usage-error.js';

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
  if (wish !== 'last') return { candidates: [asId<RunId>(wish)], optional: false };
  const [suiteId = ''] = wanting.suiteRef.split('@');
  const [agentId = ''] = wanting.agentId.split('@');
  const { items } = await client.runs.list({ suiteId, agentId, status: 'completed', limit: LOOKED_AT });
  return { candidates: newestOfEach(items.flatMap((run) => measuredBy(run, wanting))), optional: true };
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

function measuredBy({ runId, touchstone }: RunSnapshot, wanting: WantingThere): readonly Measured[] {
  const { suite, repeats, tasks, judge, safetyJudge, safetyPolicy, fork, rejudgeOf } = (touchstone ??
    {}) as ToldPlan;
  if (!suite || fork || rejudgeOf || repeats !== wanting.repeats) return [];
  const { suiteRef, suiteDigest } = wanting;
  const isAlike =
    suiteDigest === undefined
      ? !suiteRef.includes('@') || suite.ref === suiteRef
      : suite.digest === suiteDigest;
  return isAlike
    ? [
        {
          runId,
          way: JSON.stringify([
            suite.digest,
            tasks?.selected,
            judge?.digest,
            safetyJudge?.digest,
            safetyPolicy,
          ]),
        },
      ]
    : [];
}
