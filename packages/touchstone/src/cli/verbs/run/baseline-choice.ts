import { resolve } from 'node:path';
import { asId, defined, isHostError, type RunId } from '@touchstone/protocol';
import { type Client, type EvalRunSnapshot, HostResponseError, isEvalRun } from '@touchstone/sdk';
import { commonWords, forkWords, plural, whole } from '@touchstone/sdk/view';
import { isFile } from '../../comparing/reference.js';
import { readText } from '../../files/local-files.js';
import { isFolder } from '../../files/suite-source.js';
import { type Context, UsageError, writeLine } from '../../io.js';
import type { Local } from '../../local.js';
import { isPart } from '../../origin.js';
import { shell } from '../../render/shell.js';
import { knownRun, placesBack } from '../../run-lookup.js';
import { commandToType, type Session } from '../../session.js';
import { cardInFolder } from './baseline-folder.js';

/** What makes two runs comparable, each part by a name of its own. */
type Measure = {
  readonly suite: string;
  readonly repeats: number;
  /** Which tasks of the suite were selected. */
  readonly tasks: string;
  readonly judge: string;
  readonly safety: string;
  /** Absent where there is none. */
  readonly contract?: string;
  readonly embedder?: string;
  readonly scorers?: string;
  readonly user?: string;
};
export type MeasuredRun = Measure & { readonly runId: RunId };

export const measureOf = ({ touchstone: facts }: Pick<EvalRunSnapshot, 'touchstone'>): Measure => ({
  suite: facts.suite.digest,
  repeats: facts.repeats,
  tasks: facts.tasks.selection ?? 'all',
  judge: facts.judge?.digest ?? '',
  safety: JSON.stringify([facts.safetyJudge?.digest, facts.safetyPolicy]),
  ...defined({
    contract: facts.contract,
    embedder: facts.embedder && `${facts.embedder.provider}/${facts.embedder.model}`,
    scorers: facts.scorers?.map(({ name, digest }) => `${name} ${digest}`).join(),
    user: facts.simulatedUser?.digest,
  }),
});

/**
 * Of the runs that were measured in one way, the newest, or the one so many places before it; they come newest first.
 * Which tasks are selected and who judges is decided when a run is created, so there is one for each way of measuring.
 */
export function pickOfEach(runs: readonly MeasuredRun[], back = 0): readonly RunId[] {
  const ways = new Map<string, MeasuredRun[]>();
  for (const run of runs) {
    const way = JSON.stringify(WHY_NOT.map(([part]) => run[part] ?? ''));
    ways.set(way, [...(ways.get(way) ?? []), run]);
  }
  return [...ways.values()].flatMap((alike) => alike[back]?.runId ?? []);
}

const WHY_NOT: readonly (readonly [part: keyof Measure, words: string])[] = [
  ['suite', 'the suite has changed since'],
  ['repeats', 'with another number of repeats'],
  ['tasks', 'of other tasks of the suite'],
  ['judge', 'scored by another judge'],
  ['safety', 'held to other rules of safety'],
  ['contract', 'under another contract'],
  ['embedder', 'with another embedder'],
  ['scorers', 'a scorer has changed since'],
  ['user', 'with another simulated user'],
];

/** Why a run has nothing to be compared with, in a sentence: what sets it apart from all earlier ones. */
export function whyNothingFits(earlier: readonly Measure[], created: Measure): string {
  const count = earlier.length;
  if (count === 0) return 'There is no earlier run of this suite by this agent.';
  const there = `There ${count === 1 ? 'is' : 'are'} ${plural(count, 'earlier run')}`;
  let alike = earlier;
  for (const [part, words] of WHY_NOT) {
    alike = alike.filter((run) => run[part] === created[part]);
    if (alike.length === 0) return `${there}, but ${words}.`;
  }
  return `${there}, but only ${whole(alike.length)} measured in the same way.`;
}

/** The run that is to get a baseline, as far as it is known before it is created. */
type ComparedRun = {
  readonly suiteId: string;
  /** Absent where the host does not tell. */
  readonly digest?: string | undefined;
  readonly agentId: string;
  readonly repeats: number;
  /** Only the tasks that both suites share are compared. */
  readonly common?: boolean | undefined;
};

/** Runs to compare with, the best one first: the host says which of them fits. */
type BaselineChoice = {
  readonly candidates: readonly RunId[];
  /** When none of the candidates fits, the run is made without a baseline. These are all runs that there were. */
  readonly earlier?: readonly Measure[];
  /** Why there is no candidate, when it is not for want of earlier runs. */
  readonly nothing?: string;
  /** Thrown instead of the host's refusal. */
  readonly refusal?: UsageError;
};

/** A run that was created, and why it is compared with nothing, if it is not. */
export type StartedRun = { readonly runId: RunId; readonly uncompared?: string };

/** How far back the last comparable run is looked for. */
const LOOKED_AT = 200;

export async function chooseBaseline(
  context: Context,
  session: Session,
  name: string,
  run: ComparedRun,
): Promise<BaselineChoice> {
  const back = placesBack(name);
  if (back !== undefined) return lastRuns(session.client, run, back);
  if (name === 'blessed') return { candidates: await blessedRuns(context, session, run) };
  const { local } = session;
  const { cwd } = context.io;
  if (local && isFolder(name, cwd)) {
    const text = cardInFolder(context, name, run);
    if (text !== undefined) return importCard(context, local, text);
    return { candidates: [], earlier: [], nothing: `There is no scorecard of ${run.suiteId} in ${name}.` };
  }
  if (local && isFile(name, cwd)) return importCard(context, local, readText(resolve(cwd, name), name));
  return namedRun(context, session, name, run);
}

async function importCard(
  context: Context,
  { touchstone, principal }: Local,
  text: string,
): Promise<BaselineChoice> {
  const { runId, caveats } = await touchstone.importScorecard(principal.owner, text);
  if (caveats?.forkOf) tellFork(context, runId, { source: caveats.forkOf });
  return { candidates: [runId] };
}

/** A scorecard file is read and kept by the machine that it lies on. */
export function checkBaselineFile(
  context: Context,
  host: string | undefined,
  name: string | undefined,
): void {
  if (name === undefined || host === undefined || placesBack(name) !== undefined) return;
  if (!isFile(name, context.io.cwd) && !isFolder(name, context.io.cwd)) return;
  throw new UsageError(
    '--baseline with --host takes last, blessed or the id of a run of that host.',
    'A scorecard file is known here only: leave --host out, or name a run of that host.',
  );
}

/** An id that is no run may be that of a scorecard which was imported before; only the host can say. */
async function namedRun(
  context: Context,
  { client, where }: Session,
  name: string,
  { suiteId }: ComparedRun,
): Promise<BaselineChoice> {
  const candidates = [asId<RunId>(name)];
  const run = await knownRun(client, name);
  if (run?.touchstone?.fork) tellFork(context, run.runId, run.touchstone.fork);
  if (run) return { candidates };
  const list = commandToType(context, shell`runs --suite ${suiteId} --status completed`, where);
  const refusal = new UsageError(
    `There is no run ${name} here to compare with.`,
    `--baseline takes last, blessed, a run id, a scorecard file or a folder of them. See the runs with: ${list}`,
  );
  return { candidates, refusal };
}

/** The caller should know what kind of run it is. */
export const tellFork = ({ io }: Context, runId: RunId, fork: Parameters<typeof forkWords>[0]): void =>
  writeLine(io.stderr, `The baseline, run ${runId}, is ${forkWords(fork)}`);

/** Only a run that has measured every task itself is taken without being named. */
async function lastRuns(client: Client, run: ComparedRun, back: number): Promise<BaselineChoice> {
  const { suiteId, digest, agentId, repeats, common } = run;
  const { items } = await client.runs.list({ suiteId, agentId, status: 'completed', limit: LOOKED_AT });
  const earlier = items
    .filter(isEvalRun)
    .filter(({ touchstone: { fork, rejudgeOf } }) => fork === undefined && rejudgeOf === undefined)
    .filter((one) => !isPart(one))
    .map((one) => ({ runId: one.runId, ...measureOf(one) }));
  const asOften = earlier.filter((one) => one.repeats === repeats);
  if (common) return { candidates: pickOfEach(wholeRuns(asOften), back), earlier };
  const alike = asOften.filter((one) => one.suite === digest);
  // The host refuses a run of another suite, and says how many tasks are the same.
  const refused = earlier.every((one) => one.suite !== digest) ? earlier.slice(0, 1) : [];
  return { candidates: [...pickOfEach(alike, back), ...refused.map(runIdOf)], earlier };
}

const runIdOf = ({ runId }: MeasuredRun): RunId => runId;

/** Whatever state of the suite they ran: tasks are compared one by one. A part of it is taken for want of a whole. */
function wholeRuns(runs: readonly MeasuredRun[]): readonly MeasuredRun[] {
  const whole = runs.filter(({ tasks }) => tasks === 'all');
  return (whole.length > 0 ? whole : runs).map((run) => ({ ...run, suite: '', tasks: '' }));
}

async function blessedRuns(
  context: Context,
  session: Session,
  { suiteId, digest, agentId }: ComparedRun,
): Promise<readonly RunId[]> {
  const listed = await session.client.baselines.list({ suiteId });
  const blessings = listed.filter(({ agent }) => agent.agentId === agentId);
  const current = blessings.filter(({ suite }) => suite.digest === digest);
  const latest = new Map<string, RunId>();
  for (const { runId, judge = '' } of current) if (!latest.has(judge)) latest.set(judge, runId);
  if (latest.size > 0) return [...latest.values()];
  const [older] = blessings;
  throw new UsageError(
    older
      ? `Run ${older.runId} of ${suiteId} is blessed for agent ${agentId}, but the suite has changed since.`
      : `No run of ${suiteId} is blessed for agent ${agentId}.`,
    `Bless one of the suite as it is now with: ${commandToType(context, 'baseline bless <runId>', session.where)}`,
  );
}

/** Creates a run with the first candidate that the host accepts. A refusal creates nothing, so trying is free. */
export async function createCompared(
  context: Context,
  { candidates, earlier, refusal, nothing }: BaselineChoice,
  create: (baseline?: RunId) => Promise<RunId>,
  measure: (runId: RunId) => Promise<Measure>,
): Promise<StartedRun> {
  let refused: unknown = refusal;
  for (const candidate of candidates) {
    try {
      return { runId: await create(candidate) };
    } catch (error) {
      if (!isAboutBaseline(error)) throw error;
      refused ??= error;
    }
  }
  if (!earlier) throw refused;
  const runId = await create();
  const why = nothing ?? whyNothingFits(earlier, await measure(runId));
  const uncompared = [why, commonHint(refused) ?? []].flat().join(' ');
  writeLine(context.io.stderr, `Not compared with a baseline. ${uncompared} This run can be the baseline.`);
  return { runId, uncompared };
}

/** `40 tasks are the same in both; --common compares them.` */
export function commonHint(error: unknown): string | undefined {
  if (!isHostError(error) && !(error instanceof HostResponseError)) return undefined;
  const { commonTasks } = (error.details ?? {}) as { readonly commonTasks?: number };
  return commonTasks === undefined ? undefined : commonWords(commonTasks);
}

const POINTER = '/configurable/baselineRunId';

function isAboutBaseline(error: unknown): boolean {
  if (!isHostError(error) && !(error instanceof HostResponseError)) return false;
  const { issues } = (error.details ?? {}) as { readonly issues?: readonly { readonly pointer: string }[] };
  return issues !== undefined && issues.length > 0 && issues.every(({ pointer }) => pointer === POINTER);
}
