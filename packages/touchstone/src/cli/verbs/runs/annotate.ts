import { defined, type EvalReport, type ScoreOverride } from '@touchstone/protocol';
import {
  type Annotation,
  type Client,
  HostResponseError,
  isEvent,
  type NewAnnotation,
  type RunSnapshot,
  type Signal,
} from '@touchstone/sdk';
import {
  type Context,
  checkRules,
  type ExitCode,
  lookOf,
  mayShowContent,
  type OptionRule,
  UsageError,
  writeJson,
  writeLine,
} from '../../io.js';
import { annotationDocument, hasTexts, renderAnnotations, renderRecorded } from '../../render/annotations.js';
import { asEvalRun, eventPages, findRun } from '../../run-lookup.js';
import { type Where, withSession } from '../../session.js';
import { unknownTask } from './task-document.js';

/** Options of `touchstone annotate`, as the parser hands them over. */
export type AnnotateOptions = Where & {
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

const OVERRIDES = ['score', 'passed', 'failed'] as const;
const SIGNALS = ['rating', 'label', 'flag', 'correction', ...OVERRIDES] as const;
const TEXTS = ['label', 'correction', 'note'] as const;
const flags = (names: readonly string[], between = ', '): string =>
  names.map((name) => `--${name}`).join(between);

const saidIn = (options: AnnotateOptions): readonly string[] =>
  SIGNALS.filter((name) => options[name] !== undefined);
const isOverride = (options: AnnotateOptions): boolean =>
  OVERRIDES.some((name) => options[name] !== undefined);

/** One thing is said at a time, and an override with its reason. */
const RULES: readonly OptionRule<AnnotateOptions>[] = [
  {
    wrong: ({ list, task, note, ...said }) =>
      list && flags([...saidIn(said), ...Object.keys(defined({ task, note }))]),
    message: '--list only looks, and % would add something.',
    hint: 'Leave one of the two out.',
  },
  {
    wrong: (options) => !options.list && saidIn(options).length === 0 && flags(SIGNALS),
    message: 'What is to be said of it? Give one of %.',
    hint: 'See what has been said with --list.',
  },
  {
    wrong: (options) => saidIn(options).length > 1 && flags(saidIn(options)),
    message: '% say different things.',
    hint: 'Give one of them, and the next in a second command.',
  },
  {
    wrong: (options) => flags(TEXTS.filter((name) => options[name]?.trim() === '').slice(0, 1)),
    message: '% is empty.',
    hint: 'Say something, or leave it out.',
  },
];

function checkOptions(options: AnnotateOptions): void {
  checkRules(RULES, options);
  const missing = (['task', 'note'] as const).filter((name) => !options[name]?.trim());
  if (!isOverride(options) || missing.length === 0) return;
  const said = flags(saidIn(options));
  throw new UsageError(
    `${said} overrides a score, which needs ${flags(missing, ' and ')}.`,
    `For example: --task late-refund ${said}${options.score === undefined ? '' : ` ${options.score}`} --note "the golden answer is too strict"`,
  );
}

export async function annotateCommand(
  context: Context,
  name: string,
  options: AnnotateOptions,
): Promise<ExitCode> {
  checkOptions(options);
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
    ...defined({ note: options.note }),
  });
  const override = (await overridesOf(client, run.runId)).get(recorded.annotationId);
  if (isOverride(options) && !override) throw notOverridden(recorded);
  // Only a completed run has results to put side by side.
  const report = override && run.status === 'completed' ? await client.runs.report(run.runId) : undefined;
  const outcome = report && outcomeOf(report, run, options.task);
  if (settings.json) {
    const document = annotationDocument(recorded, override, mayShowContent(context, options), options.task);
    return writeJson(io, { ...document, ...outcome });
  }
  const facts = { recorded, override, ...defined({ taskId: options.task }), ...outcome };
  io.stdout.write(renderRecorded(facts, { ...lookOf(context), uncut: true }));
}

/** What was said is recorded all the same: who may annotate may not always override. */
const notOverridden = ({ annotationId }: Annotation): UsageError =>
  new UsageError(
    `The score was not overridden: the key lacks the scope evals:override. What was said is kept as annotation ${annotationId}.`,
    'Ask who runs the host for a role with evals:override.',
  );

/** An override travels as a correction that is nothing but the score, or the side, in JSON. */
function signalOf(options: AnnotateOptions): Signal {
  const { rating, label, correction, score, passed, failed } = options;
  if (rating !== undefined) return { kind: 'rating', rating };
  if (label !== undefined) return { kind: 'label', label };
  if (correction !== undefined) return { kind: 'correction', correction };
  if (score !== undefined) return { kind: 'correction', correction: JSON.stringify({ score }) };
  if (passed || failed)
    return { kind: 'correction', correction: JSON.stringify({ passed: passed === true }) };
  return { kind: 'flag' };
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
