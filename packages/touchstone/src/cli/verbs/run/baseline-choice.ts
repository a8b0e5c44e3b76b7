import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { asId, isHostError, type RunId } from '@touchstone/protocol';
import { HostResponseError } from '@touchstone/sdk';
import { forkWords } from '@touchstone/sdk/view';
import type { SuiteHead } from '../../../ports/index.js';
import { readText } from '../../files/suite-source.js';
import { placesBack } from '../../find-run.js';
import { type Context, writeLine } from '../../io.js';
import { LOCAL_OWNER, type Local } from '../../local.js';
import { commandToType } from '../../next-commands.js';
import { UsageError } from '../../usage-error.js';
import { type Measure, type Measured, measureOf, pickOfEach, whyNothingFits } from './earlier-runs.js';

/** The run that wants a baseline, as far as it is known before it is created. */
export type Wanting = {
  readonly head: Pick<SuiteHead, 'suiteId' | 'digest'>;
  readonly agentId: string;
  readonly repeats: number;
};

/** Runs to compare with, the best one first: the host says which of them fits. */
export type BaselineChoice = {
  readonly candidates: readonly RunId[];
  /**
   * What there is at all. With it the run is made without a baseline when no candidate fits: a first run has nothing to
   * be compared with.
   */
  readonly earlier?: readonly Measure[];
};

/** How far back the last comparable run is looked for. */
export const LOOKED_AT = 200;

export async function chooseBaseline(
  context: Context,
  local: Local,
  wish: string,
  wanting: Wanting,
): Promise<BaselineChoice> {
  const back = placesBack(wish);
  if (back !== undefined) return lastRuns(local, wanting, back);
  if (wish === 'blessed') return { candidates: await blessedRuns(context, local, wanting) };
  const runId = isFile(context, wish)
    ? await importFile(context, local, wish)
    : await knownRun(context, local, wish, wanting);
  return { candidates: [runId] };
}

/** A file that is not there is still meant as a file when it is called like one. */
export const isFile = ({ io }: Context, wish: string): boolean =>
  wish.endsWith('.json') || existsSync(resolve(io.cwd, wish));

async function importFile(context: Context, { touchstone }: Local, wish: string): Promise<RunId> {
  const { io } = context;
  const card = await touchstone.importScorecard(LOCAL_OWNER, readText(resolve(io.cwd, wish), wish));
  const { runId, caveats } = card;
  if (caveats?.forkOf) tellFork(context, runId, { source: caveats.forkOf });
  return runId;
}

async function knownRun(
  context: Context,
  { touchstone }: Local,
  wish: string,
  { head }: Wanting,
): Promise<RunId> {
  const runId = asId<RunId>(wish);
  const { runs, baselines } = touchstone.store;
  const run = await runs.get(LOCAL_OWNER, runId);
  if (run?.plan.fork) tellFork(context, runId, run.plan.fork);
  if (run ?? (await baselines.kept(LOCAL_OWNER, runId))) return runId;
  throw new UsageError(
    `There is no run ${wish} here to compare with.`,
    `--baseline takes last, blessed, a run id or a scorecard file. See the runs with: ${commandToType(context, `runs --suite ${head.suiteId} --status completed`)}`,
  );
}

/** Whoever names such a run should know what it is. */
export const tellFork = ({ io }: Context, runId: RunId, fork: Parameters<typeof forkWords>[0]): void =>
  writeLine(io.stderr, `The baseline, run ${runId}, is ${forkWords(fork)}`);

/** Only what has measured every task itself is taken without being named. */
async function lastRuns({ touchstone }: Local, wanting: Wanting, back: number): Promise<BaselineChoice> {
  const { head, agentId, repeats } = wanting;
  const filter = { suiteId: head.suiteId, agentId, status: 'completed', limit: LOOKED_AT } as const;
  const { items } = await touchstone.store.runs.list(LOCAL_OWNER, filter);
  const earlier = items.flatMap(({ runId, plan }): readonly Measured[] =>
    plan.kind !== 'eval' || plan.fork || plan.rejudgeOf ? [] : [{ runId, ...measureOf(plan) }],
  );
  const alike = earlier.filter((run) => run.suite === head.digest && run.repeats === repeats);
  return { candidates: pickOfEach(alike, back), earlier };
}

async function blessedRuns(
  context: Context,
  { touchstone }: Local,
  { head, agentId }: Wanting,
): Promise<readonly RunId[]> {
  const blessings = (await touchstone.store.baselines.list(LOCAL_OWNER)).filter(
    ({ suite, agent }) => suite.suiteId === head.suiteId && agent.agentId === agentId,
  );
  const current = blessings.filter(({ suite }) => suite.digest === head.digest);
  const latest = new Map<string, RunId>();
  for (const { runId, judge = '' } of current) if (!latest.has(judge)) latest.set(judge, runId);
  if (latest.size > 0) return [...latest.values()];
  const [older] = blessings;
  throw new UsageError(
    older
      ? `Run ${older.runId} of ${head.suiteId} is blessed for agent ${agentId}, but the suite has changed since.`
      : `No run of ${head.suiteId} is blessed for agent ${agentId}.`,
    `Bless one of the suite as it is now with: ${commandToType(context, 'baseline bless <runId>')}`,
  );
}

/** A run that was created, and why it is compared with nothing, if it is not. */
export type Created<T> = { readonly created: T; readonly uncompared?: string };

/** Creates a run with the first candidate that the host accepts. A refusal creates nothing, so trying is free. */
export async function createCompared<T>(
  context: Context,
  { candidates, earlier }: BaselineChoice,
  create: (baseline?: RunId) => Promise<T>,
  measure: (created: T) => Promise<Measure>,
): Promise<Created<T>> {
  let refusal: unknown;
  for (const candidate of candidates) {
    try {
      return { created: await create(candidate) };
    } catch (error) {
      if (!isAboutBaseline(error)) throw error;
      refusal ??= error;
    }
  }
  if (!earlier) throw refusal;
  const created = await create();
  const uncompared = whyNothingFits(earlier, await measure(created));
  writeLine(context.io.stderr, `Not compared with a baseline. ${uncompared} This run can be the baseline.`);
  return { created, uncompared };
}

const POINTER = '/configurable/baselineRunId';

function isAboutBaseline(error: unknown): boolean {
  if (!isHostError(error) && !(error instanceof HostResponseError)) return false;
  const { issues } = (error.details ?? {}) as { readonly issues?: readonly { readonly pointer: string }[] };
  return issues !== undefined && issues.length > 0 && issues.every(({ pointer }) => pointer === POINTER);
}
