import {
  type CompareRuns,
  defined,
  jsonEqual,
  type MeasuredRun,
  type RunComparison,
  scorersDiffer,
  usersDiffer,
} from '@touchstone/protocol';
import { judgeName } from '@touchstone/sdk/view';
import { NO_BODIES, readBodies } from '../../comparing/answers.js';
import { lastTwo } from '../../comparing/last-two.js';
import { findBlessed, findNamed, isFile, isSuiteRef } from '../../comparing/reference.js';
import { type Context, type ExitCode, lookOf, mayShowContent, UsageError, writeJson } from '../../io.js';
import { compareDocument, renderCompare } from '../../render/compare/compare.js';
import { shellWord } from '../../render/shell.js';
import { printable } from '../../render/text.js';
import { placeOf, type Session, type Where, withSession } from '../../session.js';
import { didYouMean } from '../../suggest.js';

export type CompareOptions = Where & {
  readonly agent?: string;
  readonly task?: string;
  readonly all?: boolean;
  readonly allowJudgeMismatch?: boolean;
  /** Compare the tasks that are the same in both suites, whatever else changed. */
  readonly common?: boolean;
  readonly conclusive?: boolean;
  /** A drop up to this is no regression; default: the configured one. */
  readonly tolerance?: number;
  readonly bodies?: boolean;
};

/** Unless one task is asked for, whose answers are shown whatever became of them. */
const ANSWERS_SHOWN = 5;

export async function compareCommand(
  context: Context,
  before: string | undefined,
  after: string | undefined,
  options: CompareOptions,
): Promise<ExitCode> {
  if (before === undefined)
    return withSession(context, options, 'look', async (session) =>
      compareBoth(context, session, await lastTwo(session, placeOf(session), options.common), options),
    );
  if (after === undefined)
    throw new UsageError(
      `Run ${before} is to be compared, and with what is missing.`,
      `Name both, e.g.: touchstone compare ${before === 'last' ? 'last~1' : shellWord(before)} last. Without names the last two runs are compared.`,
    );
  checkNames(context, [before, after], options);
  // Which keys are trusted depends on the whole configuration; runs can be read although a part of it is broken.
  const hasFile = [before, after].some((name) => isFile(name, context.io.cwd));
  return withSession(context, options, hasFile ? 'files' : 'look', (session) =>
    compareBoth(context, session, [before, after], options),
  );
}

/** What can be told from the names alone is told before anything is opened. */
function checkNames({ io }: Context, names: readonly [string, string], options: CompareOptions): void {
  const { agent, host } = options;
  if (names[1] === 'blessed')
    throw new UsageError(
      'Only the first of the two may be "blessed": it is the baseline of the second.',
      `Type: touchstone compare blessed ${names[0] === 'blessed' ? 'last' : shellWord(names[0])}`,
    );
  if (host !== undefined && names.some((name) => isFile(name, io.cwd)))
    throw new UsageError(
      'A scorecard file can be compared only with runs of this machine.',
      'Leave out --host, or name runs of that host.',
    );
  if (agent === undefined || names.some((name) => isSuiteRef(name, io.cwd))) return;
  throw new UsageError(
    '--agent narrows a suite, and neither of the two is one.',
    'Leave it out, or name a suite with its version: id@1.0.0',
  );
}

async function compareBoth(
  context: Context,
  session: Session,
  [first, second]: readonly [string, string],
  options: CompareOptions,
): Promise<ExitCode> {
  const { io } = context;
  const naming = { cwd: io.cwd, agent: options.agent };
  const after = await findNamed(session, second, naming);
  const before =
    first === 'blessed' ? await findBlessed(session, after) : await findNamed(session, first, naming);
  checkTwo(before.runId, after.runId);
  const { tolerance, allowJudgeMismatch = false, common, task, all = false } = options;
  // A document and --all list every task. A host elsewhere may be of a version that lists them in any case.
  const changedOnly = session.local && !all && task === undefined && !context.settings.json;
  const request = defined({
    before: before.runId,
    after: after.runId,
    allowJudgeMismatch,
    common,
    tolerance,
  });
  const comparison = await session.client.runs.compare({
    ...request,
    ...defined({ taskId: task, changedOnly: changedOnly || undefined }),
  });
  if (comparison.noVerdict?.code === 'other_judge') throw otherJudge(comparison);
  if (task !== undefined && comparison.tasks.length === 0) throw await unknownTask(session, request, task);
  const golden = task === undefined;
  const bodies = mayShowContent(context, options)
    ? await readBodies(session.client, comparison, { answers: ANSWERS_SHOWN, golden })
    : NO_BODIES;
  const exitCode = exitOf(comparison, options);
  const shown = { all, task: !golden, now: io.now() };
  if (context.settings.json) writeJson(io, compareDocument(comparison, bodies, exitCode));
  else io.stdout.write(renderCompare(comparison, bodies, { ...lookOf(context), ...shown }));
  return exitCode;
}

function checkTwo(before: string, after: string): void {
  if (before !== after) return;
  throw new UsageError(
    `Both names stand for run ${before}.`,
    'Name two runs, e.g.: touchstone compare last~1 last',
  );
}

function otherMeasure(before: MeasuredRun, after: MeasuredRun): string {
  if (scorersDiffer(before, after)) return 'A scorer has changed from one run to the other';
  if (usersDiffer(before, after)) return 'The two runs talked to different simulated users';
  return jsonEqual(before.embedder ?? null, after.embedder ?? null)
    ? 'The two runs were held to different rules of safety'
    : 'Meanings were compared by different embedders';
}

/** Scores of different judges are compared only by request. */
function otherJudge({ before, after }: RunComparison): UsageError {
  const nameOf = ({ judge }: MeasuredRun): string => (judge ? printable(judgeName(judge)) : 'no judge');
  const [first, second] = [nameOf(before), nameOf(after)];
  const what =
    before.judge?.digest === after.judge?.digest
      ? otherMeasure(before, after)
      : first === second
        ? `The two runs were scored by ${first} with different instructions`
        : `The run before was scored by ${first}, the one after by ${second}`;
  return new UsageError(
    `${what}: a difference could be the judges’.`,
    `Compare them all the same with --allow-judge-mismatch, or judge one again with: touchstone rejudge ${before.runId}`,
  );
}

async function unknownTask({ client }: Session, request: CompareRuns, task: string): Promise<UsageError> {
  const { tasks } = await client.runs.compare(request);
  const known = tasks.map(({ taskId }) => taskId);
  return new UsageError(`Neither run has a task ${task}.`, didYouMean(task, known, 'Tasks'));
}

/** A listing without a verdict is what was asked for, unless a verdict was. */
function exitOf({ regression }: RunComparison, { conclusive = false }: CompareOptions): ExitCode {
  if (conclusive && (!regression || regression.verdict === 'inconclusive')) return 3;
  return regression?.verdict === 'fail' ? 1 : 0;
}
