import type { EvalReport, ScoreOverride } from '@touchstone/protocol';
import {
  type Annotation,
  type Client,
  HostResponseError,
  isEvent,
  type NewAnnotation,
  type RunSnapshot,
} from '@touchstone/sdk';
import { type Context, type ExitCode, lookOf, mayShowContent, writeJson, writeLine } from '../../io.js';
import { annotationDocument, hasTexts, renderAnnotations, renderRecorded } from '../../render/annotations.js';
import { asEvalRun, eventPages, findRun } from '../../run-lookup.js';
import { withSession } from '../../session.js';
import { type AnnotateOptions, checkAnnotateOptions, isOverride, signalOf } from './annotate-options.js';
import { unknownTask } from './show.js';

export async function annotateCommand(
  context: Context,
  name: string,
  options: AnnotateOptions,
): Promise<ExitCode> {
  checkAnnotateOptions(options);
  return withSession(context, options, 'look', async ({ client }): Promise<ExitCode> => {
    const run = await findRun(client, name);
    if (options.list) await list(context, client, run, options);
    else await annotate(context, client, run, options);
    return 0;
  });
}

async function list(
  context: Context,
  client: Client,
  { runId }: RunSnapshot,
  options: AnnotateOptions,
): Promise<void> {
  const { io, settings } = context;
  const annotations = await client.runs.annotations(runId);
  const overrides = await overridesOf(client, runId);
  const bodies = mayShowContent(context, options);
  if (settings.json) {
    const items = annotations.map((one) => annotationDocument(one, overrides.get(one.annotationId), bodies));
    return writeJson(io, { runId, items });
  }
  const look = { ...lookOf(context), uncut: true };
  io.stdout.write(renderAnnotations({ annotations, overrides, bodies, now: io.now() }, look));
  if (!bodies && hasTexts(annotations, overrides)) writeLine(io.stderr, 'Add --bodies to see the words.');
}

const overridesOf = async (
  client: Client,
  runId: RunSnapshot['runId'],
): Promise<ReadonlyMap<string, ScoreOverride>> =>
  new Map((await client.runs.overrides(runId)).map((one) => [one.annotationId, one]));

async function annotate(
  context: Context,
  client: Client,
  run: RunSnapshot,
  options: AnnotateOptions,
): Promise<void> {
  const { io, settings } = context;
  const recorded = await record(client, run, options, {
    signal: signalOf(options),
    ...(await targetOf(client, run, options)),
    ...(options.note !== undefined && { note: options.note }),
  });
  const override = (await overridesOf(client, run.runId)).get(recorded.annotationId);
  // Only a completed run has results to put side by side.
  const report = override && run.status === 'completed' ? await client.runs.report(run.runId) : undefined;
  const outcome = report && outcomeOf(report, run, options.task);
  if (settings.json) {
    const document = annotationDocument(recorded, override, mayShowContent(context, options), options.task);
    return writeJson(io, { ...document, ...outcome });
  }
  const { task: taskId } = options;
  const facts = { recorded, override, ...(taskId !== undefined && { taskId }), ...outcome };
  io.stdout.write(renderRecorded(facts, { ...lookOf(context), uncut: true }));
}

/** The automatic result and the adjusted one, of the task and of the whole run. */
function outcomeOf({ aggregate, adjusted }: EvalReport, { touchstone }: RunSnapshot, taskId?: string) {
  const task = adjusted?.overrides.find((override) => override.taskId === taskId);
  if (!adjusted || !task) return {};
  const passed = touchstone?.headline?.passed === true;
  return {
    automatic: { score: aggregate.score, passed, task: task.before },
    adjusted: { score: adjusted.score, passed: adjusted.passed, task: task.after },
  };
}

/** An override is about a score, anything else about the task itself: a score is not overridden by accident. */
async function targetOf(
  client: Client,
  run: RunSnapshot,
  options: AnnotateOptions,
): Promise<Pick<NewAnnotation, 'target'>> {
  const { task } = options;
  if (task === undefined) return {};
  if (!isOverride(options)) return { target: { nodeId: task } };
  return { target: { eventId: await scoredEvent(client, asEvalRun(run), task) } };
}

async function scoredEvent(client: Client, run: RunSnapshot, task: string): Promise<string> {
  for await (const page of eventPages(client, run)) {
    const found = page.find((event) => isEvent(event, 'eval.scored') && event.payload.taskId === task);
    if (found) return found.eventId;
  }
  throw await unknownTask(client, run.runId, task);
}

async function record(
  client: Client,
  { runId }: RunSnapshot,
  { task = '' }: AnnotateOptions,
  body: NewAnnotation,
): Promise<Annotation> {
  try {
    return await client.runs.annotate(runId, body);
  } catch (error) {
    const isTask = error instanceof HostResponseError && error.details?.field === 'target.nodeId';
    throw isTask ? await unknownTask(client, runId, task) : error;
  }
}
