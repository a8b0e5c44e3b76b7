import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { asId, type EvalPlan, isHostError, type RunId } from '@touchstone/contract';
import type { Run, SuiteHead } from '@touchstone/contract/ports';
import { HostResponseError } from '@touchstone/sdk';
import { type Context, writeLine } from './io.js';
import { LOCAL_OWNER, type Local } from './local.js';
import { commandToType } from './next-commands.js';
import { readText } from './suite-source.js';
import { UsageError } from './usage-error.js';

/** The run that wants a baseline, as far as it is known before it is created. */
export type Wanting = {
  readonly head: Pick<SuiteHead, 'suiteId' | 'digest'>;
  readonly agentId: string;
  readonly repeats: number;
};

/**
 * Runs to compare with, the best one first. Which tasks are selected and who judges is decided when a run is created, so
 * there may be one for each way of measuring, and the host says which of them fits.
 */
export type BaselineChoice = {
  readonly candidates: readonly RunId[];
  /** The run is made without a baseline when none of them fits: a first run has nothing to be compared with. */
  readonly optional: boolean;
};

/** How far back the last comparable run is looked for. */
export const LOOKED_AT = 200;

export async function chooseBaseline(
  context: Context,
  local: Local,
  wish: string,
  wanting: Wanting,
): Promise<BaselineChoice> {
  if (wish === 'last') return { candidates: await lastRuns(local, wanting), optional: true };
  if (wish === 'blessed') return { candidates: await blessedRuns(context, local, wanting), optional: false };
  const runId = isFile(context, wish)
    ? await importFile(context, local, wish)
    : await knownRun(context, local, wish, wanting);
  return { candidates: [runId], optional: false };
}

/** A file that is not there is still meant as a file when it is called like one. */
export const isFile = ({ io }: Context, wish: string): boolean =>
  wish.endsWith('.json') || existsSync(resolve(io.cwd, wish));

async function importFile({ io }: Context, { touchstone }: Local, wish: string): Promise<RunId> {
  const card = await touchstone.importScorecard(LOCAL_OWNER, readText(resolve(io.cwd, wish), wish));
  return card.runId;
}

async function knownRun(
  context: Context,
  { touchstone }: Local,
  wish: string,
  { head }: Wanting,
): Promise<RunId> {
  const runId = asId<RunId>(wish);
  const { runs, baselines } = touchstone.store;
  if ((await runs.get(LOCAL_OWNER, runId)) ?? (await baselines.kept(LOCAL_OWNER, runId))) return runId;
  throw new UsageError(
    `There is no run ${wish} here to compare with.`,
    `--baseline takes last, blessed, a run id or a scorecard file. See the runs with: ${commandToType(context, `runs --suite ${head.suiteId} --status completed`)}`,
  );
}

async function lastRuns({ touchstone }: Local, wanting: Wanting): Promise<readonly RunId[]> {
  const { head, agentId } = wanting;
  const filter = { suiteId: head.suiteId, agentId, status: 'completed', limit: LOOKED_AT } as const;
  const { items } = await touchstone.store.runs.list(LOCAL_OWNER, filter);
  return newestOfEach(items.flatMap((run) => measuredBy(run, wanting)));
}

export type Measured = { readonly runId: RunId; readonly way: string };

function measuredBy({ runId, plan }: Run, wanting: Wanting): readonly Measured[] {
  if (plan.kind !== 'eval' || plan.fork || plan.rejudgeOf) return [];
  const isAlike = plan.suite.digest === wanting.head.digest && plan.repeats === wanting.repeats;
  return isAlike ? [{ runId, way: wayOf(plan) }] : [];
}

/** What else makes two runs comparable. */
const wayOf = ({ judge, safetyJudge, safetyPolicy, ordinals }: EvalPlan): string =>
  JSON.stringify([judge?.digest, safetyJudge?.digest, safetyPolicy, ordinals]);

/** Of the runs that were measured in one way, the newest; they come newest first. */
export function newestOfEach(runs: readonly Measured[]): readonly RunId[] {
  const ways = new Map<string, RunId>();
  for (const { runId, way } of runs) if (!ways.has(way)) ways.set(way, runId);
  return [...ways.values()];
}

async function blessedRuns(
  context: Context,
  { touchstone }: Local,
  { head, agentId }: Wanting,
): Promise<readonly RunId[]> {
  const blessings = (await touchstone.store.baselines.list(LOCAL_OWNER)).filter(
    ({ suite, agent }) => suite.digest === head.digest && agent.agentId === agentId,
  );
  if (blessings.length > 0)
    return newestOfEach(blessings.map(({ runId, judge = '' }) => ({ runId, way: judge })));
  throw new UsageError(
    `No run of ${head.suiteId} as it is now is blessed for agent ${agentId}.`,
    `Bless one with: ${commandToType(context, 'baseline bless <runId>')}`,
  );
}

/** Creates a run with the first candidate that the host accepts. A refusal creates nothing, so trying is free. */
export async function createCompared<T>(
  context: Context,
  { candidates, optional }: BaselineChoice,
  create: (baseline?: RunId) => Promise<T>,
): Promise<T> {
  let refusal: unknown;
  for (const candidate of candidates) {
    try {
      return await create(candidate);
    } catch (error) {
      if (!isAboutBaseline(error)) throw error;
      refusal ??= error;
    }
  }
  if (!optional) throw refusal;
  const created = await create();
  const what = candidates.length > 0 ? 'earlier run of the same tasks by the same judge' : 'earlier run';
  writeLine(context.io.stderr, `No ${what} to compare with; this one can be the baseline.`);
  return created;
}

const POINTER = '/configurable/baselineRunId';

function isAboutBaseline(error: unknown): boolean {
  if (!isHostError(error) && !(error instanceof HostResponseError)) return false;
  const { issues } = (error.details ?? {}) as { readonly issues?: readonly { readonly pointer: string }[] };
  return issues !== undefined && issues.length > 0 && issues.every(({ pointer }) => pointer === POINTER);
}
