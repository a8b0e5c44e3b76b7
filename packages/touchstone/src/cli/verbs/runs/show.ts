import { asId, isTerminal, type RunId, type TaskId, type TaskResult } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import type { LocalTouchstone, TaskView } from '../../../app/index.js';
import type { Run } from '../../../ports/index.js';
import type { ExitCode } from '../../exit.js';
import { asEvalRun, findRun, isInterrupted, noRun } from '../../find-run.js';
import { type Context, isColoured, writeJson, writeLine } from '../../io.js';
import { LOCAL_OWNER, type Local, readStore } from '../../local.js';
import { commandToType } from '../../next-commands.js';
import { eventDocument, renderEvent } from '../../render/event.js';
import { createInk } from '../../render/ink.js';
import { renderCorrections } from '../../render/run/corrections.js';
import { documentOf } from '../../render/run/document.js';
import { FAILURES_SHOWN, renderScorecard } from '../../render/run/scorecard.js';
import { renderTask } from '../../render/run/task.js';
import { localClient } from '../../session.js';
import { didYouMean } from '../../suggest.js';
import { UsageError } from '../../usage-error.js';
import { tellFork } from '../run/baseline-choice.js';
import { collectResult, resultPages } from '../run/collect-result.js';
import { checkReportFiles, STDOUT, writeReports } from '../run/report.js';
import { withoutBodies } from '../run/result.js';
import { bothToStdout, checkBaseline } from '../run/run-options.js';
import { correctionsOf, withoutNote } from './corrections.js';

export type ShowOptions = {
  readonly task?: string;
  readonly failed?: boolean;
  readonly events?: boolean;
  readonly bodies?: boolean;
  readonly baseline?: string;
  readonly allowJudgeMismatch?: boolean;
  readonly markdown?: string;
};

export async function showCommand(context: Context, runId: string, options: ShowOptions): Promise<ExitCode> {
  checkShown(context, options);
  const show = async (local: Local): Promise<ExitCode> => {
    const { touchstone } = local;
    const run = await findRun(touchstone, runId);
    if (options.events) await showEvents(context, touchstone, run, options);
    else if (run.plan.kind === 'deployment') await showDeployment(context, local, run, options);
    else if (options.task !== undefined) await showTask(context, touchstone, run, options.task, options);
    else await showScorecard(context, touchstone, run, options);
    return 0;
  };
  return readStore(context, show, () => {
    throw noRun(runId);
  });
}

/** A run that moved a deployment has no scorecard, but a story. */
async function showDeployment(
  context: Context,
  { touchstone, config }: Local,
  run: Run,
  { task, failed, baseline, markdown }: ShowOptions,
): Promise<void> {
  const { io, settings } = context;
  if ([task, failed, baseline, markdown].some((given) => given !== undefined)) asEvalRun(run);
  const { deploymentRunOf, readEvents } = await import('../deployments/transitions.js');
  const { timelineOf } = await import('../deployments/timeline.js');
  const { renderTimeline, timelineDocument } = await import('../../render/deployments/timeline.js');
  const client = await localClient({ touchstone, config });
  const timeline = timelineOf(await readEvents(client, run.runId));
  const shown = deploymentRunOf(await client.runs.get(run.runId));
  if (settings.json) return writeJson(io, timelineDocument(shown, timeline));
  const look = { ink: createInk(isColoured(context, io.stdout)), width: io.stdout.columns };
  const next = (await import('../deployments/hints.js')).waitingLine(context, run.runId, {});
  io.stdout.write(renderTimeline(shown, timeline, next, look));
}

/** What is about the scorecard says nothing about a task or the events. */
function checkShown(context: Context, options: ShowOptions): void {
  const { task, events, baseline, markdown, allowJudgeMismatch } = options;
  const flag = {
    '--markdown': markdown,
    '--baseline': baseline,
    '--allow-judge-mismatch': allowJudgeMismatch,
  };
  checkBaseline(baseline);
  const [about] = Object.entries(flag).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (about !== undefined && (events || task !== undefined))
    throw new UsageError(
      `${about} is about the whole run.`,
      `Leave it out, or leave out ${events ? '--events' : '--task'}.`,
    );
  if (allowJudgeMismatch && baseline === undefined)
    throw new UsageError('--allow-judge-mismatch is about a comparison.', 'Add --baseline <runId>.');
  if (context.settings.json && markdown === STDOUT) throw bothToStdout();
  checkReportFiles(context, options);
}

/** Content belongs on a person's screen, or where it is asked for by name. */
const mayShowBodies = ({ io, settings }: Context, options: ShowOptions): boolean =>
  options.bodies === true || (io.stdout.isTTY && !settings.json);

/** A pipe has no edge to cut a line at. */
const widthOf = ({ io }: Context): number => (io.stdout.isTTY ? io.stdout.columns : Number.POSITIVE_INFINITY);

async function showScorecard(
  context: Context,
  touchstone: LocalTouchstone,
  run: Run,
  options: ShowOptions,
): Promise<void> {
  const { io, settings } = context;
  const interrupted = isInterrupted(run, io.now());
  const result = await collectResult(touchstone, asEvalRun(run), {
    bodies: bodiesWanted(context, options),
    now: io.now(),
    interrupted,
    ...(options.baseline !== undefined && {
      against: await findBaseline(context, touchstone, options.baseline),
    }),
    ...(options.allowJudgeMismatch && { allowJudgeMismatch: true }),
  });
  writeReports(context, [result], [], options);
  if (options.markdown === STDOUT) return;
  if (settings.json) {
    const shown = withoutBodies(result);
    writeJson(io, options.failed ? { ...documentOf(shown), failures: shown.failures } : documentOf(shown));
    return;
  }
  const look = { ink: createInk(isColoured(context, io.stdout)), width: io.stdout.columns };
  const next =
    run.origin === 'cli' && !isTerminal(run.status) ? [resumeCommand(context, run, interrupted)] : [];
  io.stdout.write(
    renderScorecard(result, { ...look, allFailures: options.failed ?? false, next, parts: true }),
  );
}

/** A run, or a scorecard that came in a file. */
async function findBaseline(context: Context, touchstone: LocalTouchstone, wanted: string): Promise<RunId> {
  const card = await touchstone.store.baselines.kept(LOCAL_OWNER, asId<RunId>(wanted));
  if (card) return card.runId;
  const { runId, plan } = await findRun(touchstone, wanted);
  if (plan.fork) tellFork(context, runId, plan.fork);
  return runId;
}

/** Those that are shown, on a screen or where they are asked for; in a file only where they are asked for. */
function bodiesWanted(context: Context, options: ShowOptions): number {
  if (options.bodies && options.markdown !== undefined) return Number.POSITIVE_INFINITY;
  if (!mayShowBodies(context, options) || context.settings.json) return 0;
  return options.failed ? Number.POSITIVE_INFINITY : FAILURES_SHOWN;
}

/** Of a process that was just killed nothing can be seen for some seconds; `--resume` finds out and then takes over. */
const resumeCommand = (context: Context, { runId, status }: Run, interrupted: boolean) => ({
  command: commandToType(context, `run --resume ${runId}`),
  does: interrupted || status === 'paused' ? 'go on from here' : 'go on, if its process is gone',
});

async function showTask(
  context: Context,
  touchstone: LocalTouchstone,
  run: Run,
  taskId: string,
  options: ShowOptions,
): Promise<void> {
  const { io, settings } = context;
  const view = await touchstone.viewTask(LOCAL_OWNER, run.runId, asId<TaskId>(taskId));
  if (!view) throw await unknownTask(touchstone, run, taskId);
  const bodies = mayShowBodies(context, options);
  const result = await findResult(touchstone, run, taskId);
  const corrections = await correctionsOf(touchstone, run, view.taskId);
  if (settings.json)
    return writeJson(io, {
      ...(bodies ? view : contentFree(view)),
      ...(result && factsOf(result)),
      ...(corrections.length > 0 && { corrections: bodies ? corrections : corrections.map(withoutNote) }),
    });
  const look = { ink: createInk(isColoured(context, io.stdout)), width: widthOf(context), uncut: true };
  io.stdout.write(renderTask(view, bodies, look, result));
  io.stdout.write(renderCorrections(corrections, view.score, bodies, io.now(), look));
  if (!bodies) writeLine(io.stderr, 'Add --bodies to see inputs and answers.');
}

/** Absent while the run has not come to write it down. */
async function findResult(
  touchstone: LocalTouchstone,
  { runId }: Run,
  taskId: string,
): Promise<TaskResult | undefined> {
  for await (const page of resultPages(touchstone, runId)) {
    const found = page.find(({ result }) => result.taskId === taskId);
    if (found) return found.result;
  }
  return undefined;
}

/** What the log says of a task beyond its score, all of it content-free. */
const factsOf = ({ unscored, findings, criteria, judge, costUsd, judgeUsd }: TaskResult): object => ({
  ...(unscored && { unscored }),
  ...(findings && { findings }),
  ...(criteria && { criteria }),
  ...(judge && { judge }),
  ...(costUsd !== undefined && { costUsd }),
  ...(judgeUsd !== undefined && { judgeUsd }),
});

const contentFree = (view: TaskView): object => ({
  taskId: view.taskId,
  score: view.score,
  passed: view.passed,
  invocations: view.invocations.map(({ invocationId, outcome, attempts, toolCalls }) => ({
    invocationId,
    outcome,
    ...(attempts !== undefined && { attempts }),
    toolCalls: toolCalls.map(({ callId, toolId, status }) => ({ callId, toolId, status })),
  })),
});

async function unknownTask(touchstone: LocalTouchstone, run: Run, taskId: string): Promise<UsageError> {
  const done = await touchstone.store.log.results(LOCAL_OWNER, run.runId, 0, 1000);
  const hint = didYouMean(
    taskId,
    done.map(({ result }) => result.taskId),
    'Tasks',
  );
  return new UsageError(`Run ${run.runId} has no finished task ${taskId}.`, hint);
}

const PAGE = 500;

/** Written page by page: a log may be longer than memory is wide. */
async function showEvents(
  context: Context,
  touchstone: LocalTouchstone,
  run: Run,
  options: ShowOptions,
): Promise<void> {
  const { io, settings } = context;
  const bodies = mayShowBodies(context, options);
  const ink = createInk(isColoured(context, io.stdout));
  const width = widthOf(context);
  const line = (event: RunEvent): string =>
    settings.json
      ? JSON.stringify(eventDocument(event, run, bodies))
      : renderEvent(event, run, bodies, { ink, width });
  let after = -1;
  if (settings.json) io.stdout.write('[');
  for (let first = true; ; ) {
    const page = await touchstone.store.log.read(LOCAL_OWNER, run.runId, after, PAGE);
    if (page.length === 0) break;
    const separator = settings.json ? ',\n' : '\n';
    io.stdout.write((first ? '' : separator) + page.map(line).join(separator));
    first = false;
    after = page.at(-1)?.sequence ?? after;
  }
  io.stdout.write(settings.json ? ']\n' : '\n');
}
