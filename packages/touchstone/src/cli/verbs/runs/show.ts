import { defined, isTerminal, type RunId } from '@touchstone/protocol';
import {
  type Client,
  collectRun,
  type EvalRunSnapshot,
  type RunEvent,
  type RunSnapshot,
} from '@touchstone/sdk';
import { readRows, timelineOf } from '@touchstone/sdk/view';
import { keptCard } from '../../comparing/reference.js';
import {
  type Context,
  checkRules,
  type ExitCode,
  lookOf,
  mayShowContent,
  type OptionRule,
  writeJson,
  writeLine,
  writeResult,
} from '../../io.js';
import { uncomparedOf } from '../../origin.js';
import { documentOf } from '../../render/run/document.js';
import { renderRows } from '../../render/run/rows.js';
import { FAILURES_READ, renderScorecard } from '../../render/run/scorecard.js';
import { eventDocument, renderCorrections, renderEvent, renderTask } from '../../render/run/task.js';
import { shell } from '../../render/shell.js';
import { asEvalRun, eventPages, findRun, knownRun, noRun, placesBack } from '../../run-lookup.js';
import { commandToType, type Session, type Where, withSession } from '../../session.js';
import { writeDocuments } from '../../write-documents.js';
import { tellFork } from '../run/baseline-choice.js';
import { writeOutputs } from '../run/output-files.js';
import { checkReportFiles, MOST_CHECKS, STDOUT, summaryFor, writeReports } from '../run/report.js';
import { withoutBodies } from '../run/result.js';
import { BOTH_TO_STDOUT, EMPTY_BASELINE, flagIn } from '../run/run-options.js';
import { readTask, taskDocument } from './task-document.js';

type ShowOptions = Where & {
  readonly task?: string;
  readonly failed?: boolean;
  readonly all?: boolean;
  readonly events?: boolean;
  readonly bodies?: boolean;
  readonly baseline?: string;
  readonly allowJudgeMismatch?: boolean;
  readonly common?: boolean;
  readonly markdown?: string;
  readonly output?: readonly string[];
};

export async function showCommand(context: Context, name: string, options: ShowOptions): Promise<ExitCode> {
  checkShown(context, options);
  return withSession(context, options, 'look', async (session): Promise<ExitCode> => {
    const run = await findRun(session.client, name);
    if (options.events) await showEvents(context, session, run, options);
    else if (run.touchstone?.kind === 'deployment') await showDeployment(context, session, run, options);
    else if (options.task !== undefined) await showTask(context, session, run, options.task, options);
    else await showScorecard(context, session, asEvalRun(run), options);
    return 0;
  });
}

/** A run that moved a deployment has no scorecard, but a timeline. */
async function showDeployment(
  context: Context,
  { client, where }: Session,
  run: RunSnapshot,
  { task, failed, all, baseline, markdown, output }: ShowOptions,
): Promise<void> {
  if ([task, failed, all, baseline, markdown, output].some((given) => given !== undefined)) asEvalRun(run);
  const { deploymentRunOf, readEvents } = await import('../deployments/transitions.js');
  const { renderTimeline, timelineDocument } = await import('../../render/deployments/timeline.js');
  const timeline = timelineOf(await readEvents(client, run.runId));
  const shown = deploymentRunOf(run);
  const next = (await import('../deployments/hints.js')).waitingLine(context, run.runId, where);
  writeResult(context, timelineDocument(shown, timeline), (look) =>
    renderTimeline(shown, timeline, next, look),
  );
}

/** What is about the scorecard says nothing about a task or the events. */
function checkShown(context: Context, options: ShowOptions): void {
  checkRules(RULES, { ...options, json: context.settings.json });
  checkReportFiles(context, options);
}

type ShowCommand = ShowOptions & { readonly json: boolean };

const RULES: readonly OptionRule<ShowCommand>[] = [
  {
    wrong: ({ task, events }) => task !== undefined && events && '--task',
    message: '% shows one task, and --events the log of the whole run.',
    hint: 'Leave one of the two out.',
  },
  EMPTY_BASELINE,
  ...(['events', 'task'] as const).map((part) => ({
    wrong: (options: ShowCommand) =>
      options[part] !== undefined &&
      flagIn(options, 'markdown', 'output', 'all', 'baseline', 'common', 'allowJudgeMismatch'),
    message: '% is about the whole run.',
    hint: `Leave it out, or leave out --${part}.`,
  })),
  {
    wrong: (show) => show.baseline === undefined && flagIn(show, 'common', 'allowJudgeMismatch'),
    message: '% is about a comparison.',
    hint: 'Add --baseline <runId>.',
  },
  BOTH_TO_STDOUT,
];

/** A pipe has no edge to cut a line at. */
const widthOf = ({ io }: Context): number => (io.stdout.isTTY ? io.stdout.columns : Number.POSITIVE_INFINITY);

async function showScorecard(
  context: Context,
  session: Session,
  run: EvalRunSnapshot,
  options: ShowOptions,
): Promise<void> {
  const { io, settings } = context;
  const { client } = session;
  const against =
    options.baseline === undefined ? undefined : await findBaseline(context, client, options.baseline);
  const view = await collectRun(client, run.runId, {
    bodies: bodiesWanted(context, options),
    ...summaryFor(context, session, options),
    now: io.now(),
    ...defined({ against, common: options.common, allowJudgeMismatch: options.allowJudgeMismatch }),
  });
  const uncompared = against === undefined ? uncomparedOf(run) : undefined;
  const result = { ...view, ...defined({ uncompared }) };
  writeReports(context, [{ result }], options);
  if (options.output) await writeOutputs(context, session, [{ result }], options);
  if (options.markdown === STDOUT) return;
  const rows = options.all ? await readRows(client, result, { bodies: options.bodies ?? false }) : undefined;
  if (settings.json) {
    const shown = withoutBodies(result);
    const failures = options.failed ? shown.failures : undefined;
    await writeDocuments({ io, client }, { ...documentOf(shown), ...defined({ failures, tasks: rows }) });
    return;
  }
  const showAll = commandToType(context, shell`show ${run.runId} --failed`, session.where);
  const look = { ...lookOf(context), allFailures: options.failed ?? false, parts: true, showAll };
  const shown = mayShowContent(context, options) ? result : withoutBodies(result);
  io.stdout.write(renderScorecard(shown, { ...look, next: resumeCommands(context, session, run) }));
  if (rows) io.stdout.write(renderRows(rows, lookOf(context)));
}

/** A run, or a scorecard that was kept from a file. */
async function findBaseline(context: Context, client: Client, name: string): Promise<RunId> {
  const run = placesBack(name) === undefined ? await knownRun(client, name) : await findRun(client, name);
  if (run?.touchstone?.fork) tellFork(context, run.runId, run.touchstone.fork);
  if (run) return run.runId;
  const kept = await keptCard(client, name);
  if (kept) return kept.runId;
  throw noRun(name);
}

/** Those that are shown, on a screen or where they are asked for; in a file only where they are asked for. */
function bodiesWanted(context: Context, options: ShowOptions): number {
  const isWritten = options.markdown !== undefined || options.output !== undefined;
  if (options.bodies && options.markdown !== undefined) return Number.POSITIVE_INFINITY;
  // A summary without content tells which check failed.
  if (isWritten) return MOST_CHECKS;
  if (!mayShowContent(context, options) || context.settings.json) return 0;
  return options.failed ? Number.POSITIVE_INFINITY : FAILURES_READ;
}

/** Of a process that was just killed nothing can be seen for some seconds; `--resume` finds out and then takes over. */
function resumeCommands(context: Context, { where }: Session, { runId, status, touchstone }: RunSnapshot) {
  const { origin, interrupted } = touchstone ?? {};
  if (origin !== 'cli' || isTerminal(status)) return [];
  const command = commandToType(context, shell`run --resume ${runId}`, where);
  const isIdle = interrupted || status === 'paused';
  return [{ command, does: isIdle ? 'go on from here' : 'go on, if its process is gone' }];
}

async function showTask(
  context: Context,
  { client }: Session,
  run: RunSnapshot,
  taskId: string,
  options: ShowOptions,
): Promise<void> {
  const { io, settings } = context;
  const task = await readTask(client, run.runId, taskId);
  const bodies = mayShowContent(context, options);
  if (settings.json) return writeJson(io, taskDocument(task, bodies));
  const { view, result, corrections } = task;
  const look = { ...lookOf(context), width: widthOf(context), uncut: true };
  io.stdout.write(renderTask(view, bodies, look, result));
  io.stdout.write(renderCorrections(corrections, view.score, bodies, io.now(), look));
  if (!bodies) writeLine(io.stderr, 'Add --bodies to see inputs and answers.');
}

/** Written page by page: a log may be longer than memory is wide. */
async function showEvents(
  context: Context,
  { client }: Session,
  run: RunSnapshot,
  options: ShowOptions,
): Promise<void> {
  const { io, settings } = context;
  const bodies = mayShowContent(context, options);
  const look = { ...lookOf(context), width: widthOf(context) };
  const line = (event: RunEvent): string =>
    settings.json ? JSON.stringify(eventDocument(event, run, bodies)) : renderEvent(event, run, bodies, look);
  const separator = settings.json ? ',\n' : '\n';
  let isFirst = true;
  if (settings.json) io.stdout.write('[');
  for await (const page of eventPages(client, run)) {
    if (page.length === 0) continue;
    io.stdout.write((isFirst ? '' : separator) + page.map(line).join(separator));
    isFirst = false;
  }
  io.stdout.write(settings.json ? ']\n' : '\n');
}
