import { defined, isHostError, type LooksReport, type RunId } from '@touchstone/protocol';
import { type Client, collectRun, HostResponseError } from '@touchstone/sdk';
import { outcomeOfRounds, plural, type RoundsView, range, score } from '@touchstone/sdk/view';
import { openSources } from '../../../files/pack-source.js';
import type { SuiteSource } from '../../../files/suite-source.js';
import {
  type Context,
  EXIT_CODES,
  type ExitCode,
  lookOf,
  UsageError,
  writeJson,
  writeLine,
  writeResult,
} from '../../../io.js';
import { documentOf } from '../../../render/run/document.js';
import { renderRounds } from '../../../render/run/rounds.js';
import { type Session, withSession } from '../../../session.js';
import { chooseAgent } from '../agent-choice.js';
import { nameOf } from '../attempts.js';
import { chooseBaseline } from '../baseline-choice.js';
import { bodiesWanted, tellResult } from '../report.js';
import { exitOf } from '../result.js';
import { driverOf, type RunDriver } from '../run-driver.js';
import type { RunOptions } from '../run-options.js';
import { agentOf, installSource, sideOf, startRun } from '../start-run.js';
import { chooseTasks, taskIdsOf } from '../task-choice.js';
import { dealTasks, usualRound } from './round-tasks.js';

/** Runs a suite in rounds, each a run of other tasks, and stops as soon as the verdict is known. */
export async function runInRounds(context: Context, suite: string, options: RunOptions): Promise<ExitCode> {
  const { conclusive = false } = options;
  return withSession(context, options, 'work', async (session) => {
    const sources = await openSources(context, session, suite, options);
    const { view, unfinished } = await runRounds(context, session, onlyOne(sources), options);
    if (!view) return tellUnfinished(context, session, unfinished as OpenRound, options);
    const exitCode = EXIT_CODES[outcomeOfRounds(view, conclusive)];
    writeResult(context, { ...view, exitCode }, () => renderRounds(view, lookOf(context), conclusive));
    return exitCode;
  });
}

/** A first round that did not complete is told like any run. */
async function tellUnfinished(
  context: Context,
  { client }: Session,
  { runId, stopped }: OpenRound,
  options: RunOptions,
): Promise<ExitCode> {
  const interrupted = stopped === 'interrupted';
  const result = await collectRun(client, runId, {
    interrupted,
    bodies: bodiesWanted(context, options),
    now: context.io.now(),
  });
  if (context.settings.json) writeJson(context.io, documentOf(result));
  else tellResult(context, result, options);
  return exitOf(result);
}

function onlyOne(sources: readonly SuiteSource[]): SuiteSource {
  const [source, ...others] = sources;
  const hasContract = source?.kind === 'profile' || (source?.kind === 'file' && source.pinned !== undefined);
  if (source && others.length === 0 && !hasContract) return source;
  throw hasContract
    ? new UsageError(
        'A contract is decided by all of its tasks, so --until-conclusive has nothing to stop early.',
        'Leave --until-conclusive out.',
      )
    : new UsageError(
        `--until-conclusive looks at one suite, and there are ${sources.length} to run.`,
        'Name one suite file.',
      );
}

/** Everything that stays the same from round to round. */
type Evaluation = {
  readonly context: Context;
  readonly session: Session;
  readonly driver: RunDriver;
  readonly source: SuiteSource;
  readonly options: RunOptions;
  /** Runs that the rounds may be compared with, the best first. */
  readonly candidates: readonly RunId[];
  /** A comparison is wanted where there is something to compare with, and not required. */
  readonly lenient: boolean;
};

async function runRounds(
  context: Context,
  session: Session,
  source: SuiteSource,
  options: RunOptions,
): Promise<Ending> {
  const driver = driverOf(context.io, session);
  const installed = await installSource(session, source);
  const agent = await chooseAgent(
    session,
    agentOf(source, options),
    sideOf(installed.head, installed.suite),
    context.io.cwd,
  );
  const subject = { suiteRef: nameOf(source), suiteId: installed.head.suiteId, agentId: agent.agentId };
  const chosen = await chooseTasks(session.client, source, subject, options);
  const tasks = chosen ?? (await taskIdsOf(session.client, source, subject));
  const compared = { ...subject, digest: installed.head.digest, repeats: options.repeats ?? 1 };
  const { candidates, lenient } = await candidatesFor(context, session, options.baseline, compared);
  const evaluation = { context, session, driver, source, options, candidates, lenient };
  const rounds = dealTasks(tasks, subject.suiteRef, options.round ?? usualRound(tasks.length));
  return untilDecided(evaluation, rounds, tasks.length);
}

async function candidatesFor(
  context: Context,
  session: Session,
  baseline: string | undefined,
  run: Parameters<typeof chooseBaseline>[3],
): Promise<Pick<Evaluation, 'candidates' | 'lenient'>> {
  if (baseline === undefined) return { candidates: [], lenient: true };
  const { candidates, earlier, refusal } = await chooseBaseline(context, session, baseline, run);
  if (refusal) throw refusal;
  return { candidates, lenient: earlier !== undefined };
}

type Progress = {
  readonly runIds: readonly RunId[];
  readonly report?: LooksReport;
  readonly against?: RunId;
  readonly spentUsd: number;
};

type Stop = NonNullable<RoundsView['stopped']>;
type OpenRound = { readonly runId: RunId; readonly stopped: Stop };
/** What the rounds came to; without a round that completed, only the run that did not. */
type Ending = { readonly view?: RoundsView; readonly unfinished?: OpenRound };

async function untilDecided(
  evaluation: Evaluation,
  rounds: readonly (readonly string[])[],
  selected: number,
): Promise<Ending> {
  let done: Progress = { runIds: [], spentUsd: 0 };
  const end = (stopped?: Stop): Ending =>
    done.report ? { view: { ...done.report, selected, ...defined({ stopped }) } } : {};
  for (const only of rounds) {
    const left = budgetLeft(evaluation.options, done.spentUsd);
    if (left !== undefined && left <= 0) return end('over-budget');
    const { runId, stopped } = await runRound(evaluation, only, done.runIds.length + 1, left);
    if (stopped) return { unfinished: { runId, stopped }, ...end(stopped) };
    done = await lookAgain(evaluation, done, runId);
    if (done.report?.decided) break;
  }
  return end();
}

const budgetLeft = ({ budget }: RunOptions, spentUsd: number): number | undefined =>
  budget === undefined ? undefined : budget - spentUsd;

/** One run of the tasks of a round, compared with nothing: the comparison is over all rounds. */
async function runRound(
  { context, session, driver, source, options }: Evaluation,
  only: readonly string[],
  roundNumber: number,
  budget: number | undefined,
): Promise<{ readonly runId: RunId; readonly stopped?: Stop }> {
  const { baseline: _, tolerance: __, allowJudgeMismatch: ___, tag: ____, ...rest } = options;
  const modes = rest.modes?.filter((mode) => mode !== 'regression');
  const { runId } = await startRun(context, session, driver, source, {
    ...rest,
    only,
    roundNumber,
    ...(modes && modes.length > 0 && { modes }),
    ...defined({ budget }),
  });
  const { interrupted } = await driver.follow(runId);
  if (interrupted) return { runId, stopped: 'interrupted' };
  const { status, error } = await session.client.runs.get(runId);
  if (status === 'completed') return { runId };
  return { runId, stopped: error?.code === 'budget_exhausted' ? 'over-budget' : 'unjudged' };
}

async function lookAgain(evaluation: Evaluation, done: Progress, runId: RunId): Promise<Progress> {
  const { client } = evaluation.session;
  const runIds = [...done.runIds, runId];
  const report = await lookWith(evaluation, runIds, done);
  tellLook(evaluation.context, report);
  const { cost } = await client.runs.report(runId);
  const { agentUsd = 0, judgeUsd = 0, simulatedUserUsd = 0 } = cost;
  const spentUsd = done.spentUsd + agentUsd + judgeUsd + simulatedUserUsd;
  return { runIds, report, spentUsd, ...defined({ against: report.against }) };
}

/** The first look finds out which of the candidates was measured like the rounds. */
async function lookWith(
  { context, session, options, candidates, lenient }: Evaluation,
  runIds: readonly RunId[],
  { against, report }: Progress,
): Promise<LooksReport> {
  if (report) return look(session.client, runIds, against, options);
  let refused: unknown;
  for (const candidate of candidates) {
    try {
      return await look(session.client, runIds, candidate, options);
    } catch (error) {
      if (!isAboutBaseline(error)) throw error;
      refused ??= error;
    }
  }
  if (!lenient) throw refused;
  if (options.baseline !== undefined)
    writeLine(
      context.io.stderr,
      'Not compared with a baseline: no earlier run has all of these tasks, measured alike.',
    );
  return look(session.client, runIds, undefined, options);
}

const look = (
  client: Client,
  rounds: readonly RunId[],
  against: RunId | undefined,
  { tolerance, allowJudgeMismatch }: RunOptions,
): Promise<LooksReport> =>
  client.runs.looks({
    rounds,
    ...(against !== undefined && defined({ against, tolerance, allowJudgeMismatch })),
  });

function isAboutBaseline(error: unknown): boolean {
  if (!isHostError(error) && !(error instanceof HostResponseError)) return false;
  const { issues = [] } = (error.details ?? {}) as {
    readonly issues?: readonly { readonly pointer: string }[];
  };
  return issues.some(({ pointer }) => pointer === '/against');
}

/** A line per round, so that a long evaluation is not silent. */
function tellLook({ io }: Context, { looks }: LooksReport): void {
  const last = looks.at(-1);
  if (last)
    writeLine(
      io.stderr,
      `Round ${looks.length}: ${score(last.score)} after ${plural(last.tasks, 'task')}, ${range(last.interval)} at every look.`,
    );
}
