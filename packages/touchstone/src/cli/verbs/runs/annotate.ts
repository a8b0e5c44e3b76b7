import { type EvalReport, isHostError, type TaskId } from '@touchstone/protocol';
import type { Payloads, RunEvent } from '@touchstone/protocol/bodies';
import type { LocalTouchstone } from '../../../app/index.js';
import type { Annotation, Run } from '../../../ports/index.js';
import type { ExitCode } from '../../exit.js';
import { asEvalRun, findRun, noRun } from '../../find-run.js';
import { type Context, isColoured, writeJson, writeLine } from '../../io.js';
import { LOCAL_OWNER, LOCAL_PRINCIPAL, type Local, readStore } from '../../local.js';
import { annotationDocument, hasTexts, renderAnnotations, renderRecorded } from '../../render/annotations.js';
import { createInk, type Look } from '../../render/ink.js';
import { didYouMean } from '../../suggest.js';
import { UsageError } from '../../usage-error.js';
import { checkAnnotateOptions, isOverride, type Saying, signalOf } from './annotate-options.js';

export type AnnotateOptions = {
  readonly rating?: number;
  readonly label?: string;
  readonly flag?: boolean;
  readonly correction?: string;
  readonly score?: number;
  readonly passed?: boolean;
  readonly failed?: boolean;
  readonly task?: string;
  readonly note?: string;
  readonly list?: boolean;
  readonly bodies?: boolean;
};

export async function annotateCommand(
  context: Context,
  wanted: string,
  options: AnnotateOptions,
): Promise<ExitCode> {
  checkAnnotateOptions(options);
  return readStore(
    context,
    async ({ touchstone }: Local): Promise<ExitCode> => {
      const run = await findRun(touchstone, wanted);
      if (options.list) await list(context, touchstone, run, options);
      else await annotate(context, touchstone, run, options);
      return 0;
    },
    () => {
      throw noRun(wanted);
    },
  );
}

/** Content belongs on a person's screen, or where it is asked for by name. */
const mayShowBodies = ({ io, settings }: Context, { bodies }: AnnotateOptions): boolean =>
  bodies === true || (io.stdout.isTTY && !settings.json);

const lookOf = (context: Context): Look => {
  const { stdout } = context.io;
  return { ink: createInk(isColoured(context, stdout)), width: stdout.columns, uncut: true };
};

async function list(
  context: Context,
  touchstone: LocalTouchstone,
  { runId }: Run,
  options: AnnotateOptions,
): Promise<void> {
  const { io, settings } = context;
  const annotations = await touchstone.annotations.list(LOCAL_OWNER, runId);
  const overrides = await touchstone.annotations.overridesOf(LOCAL_OWNER, runId);
  const tasks = new Map(overrides.map(({ annotationId, taskId }) => [annotationId, taskId]));
  const bodies = mayShowBodies(context, options);
  if (settings.json) {
    const items = annotations.map((one) => annotationDocument(one, bodies, tasks.get(one.annotationId)));
    return writeJson(io, { runId, items });
  }
  io.stdout.write(renderAnnotations({ annotations, tasks, bodies, now: io.now() }, lookOf(context)));
  if (!bodies && hasTexts(annotations)) writeLine(io.stderr, 'Add --bodies to see the words.');
}

async function annotate(
  context: Context,
  touchstone: LocalTouchstone,
  run: Run,
  options: AnnotateOptions,
): Promise<void> {
  const { io, settings } = context;
  const body: Saying = {
    signal: signalOf(options),
    ...(await targetOf(touchstone, run, options)),
    ...(options.note !== undefined && { note: options.note }),
  };
  const recorded = await record(touchstone, run, body, options);
  const { override } = recorded;
  const taskId = options.task as TaskId | undefined;
  // Only a completed run has results to put side by side.
  const report =
    override && run.status === 'completed' ? await touchstone.report(LOCAL_OWNER, run.runId) : undefined;
  const outcome = report && outcomeOf(report, run, taskId);
  if (settings.json) {
    const document = annotationDocument(recorded, mayShowBodies(context, options), taskId);
    return writeJson(io, { ...document, ...outcome });
  }
  io.stdout.write(renderRecorded({ recorded, ...(taskId && { taskId }), ...outcome }, lookOf(context)));
}

/** The automatic result and the adjusted one, of the task and of the whole run. */
function outcomeOf({ aggregate, adjusted }: EvalReport, { headline }: Run, taskId: TaskId | undefined) {
  const task = adjusted?.overrides.find((override) => override.taskId === taskId);
  if (!adjusted || !task) return {};
  return {
    automatic: { score: aggregate.score, passed: headline?.passed === true, task: task.before },
    adjusted: { score: adjusted.score, passed: adjusted.passed, task: task.after },
  };
}

/** An override is about a score, anything else about the task itself: nobody overrides a score by accident. */
async function targetOf(
  touchstone: LocalTouchstone,
  run: Run,
  options: AnnotateOptions,
): Promise<Pick<Saying, 'target'>> {
  const { task } = options;
  if (task === undefined) return {};
  if (!isOverride(options)) return { target: { nodeId: task } };
  const { eventId } = await findScored(touchstone, asEvalRun(run), task);
  return { target: { eventId } };
}

const PAGE = 500;

async function findScored(touchstone: LocalTouchstone, run: Run, task: string): Promise<RunEvent> {
  for (let after = -1; ; ) {
    const page = await touchstone.store.log.read(LOCAL_OWNER, run.runId, after, PAGE);
    const found = page.find(
      ({ type, payload }) => type === 'eval.scored' && (payload as Payloads['eval.scored']).taskId === task,
    );
    if (found) return found;
    const last = page.at(-1);
    if (!last) throw await unknownTask(touchstone, run, task);
    after = last.sequence;
  }
}

async function unknownTask(touchstone: LocalTouchstone, { runId }: Run, task: string): Promise<UsageError> {
  const done = await touchstone.store.log.results(LOCAL_OWNER, runId, 0, 1000);
  const hint = didYouMean(
    task,
    done.map(({ result }) => result.taskId),
    'Tasks',
  );
  return new UsageError(`Run ${runId} has no finished task ${task}.`, hint);
}

async function record(
  touchstone: LocalTouchstone,
  run: Run,
  body: Saying,
  options: AnnotateOptions,
): Promise<Annotation> {
  try {
    return await touchstone.annotations.annotate(LOCAL_PRINCIPAL, run.runId, body);
  } catch (error) {
    const isTask = isHostError(error) && error.details?.field === 'target.nodeId';
    throw isTask ? await unknownTask(touchstone, run, options.task ?? '') : error;
  }
}
