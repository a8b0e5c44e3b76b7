import { jsonEqual, judgesDiffer } from '@touchstone/protocol';
import { NO_BODIES, readBodies } from '../../comparing/answers.js';
import { type Comparison, compareSides, whyNoVerdict } from '../../comparing/compare-sides.js';
import { findBlessed, findSide, isFile, isSuiteRef } from '../../comparing/reference.js';
import type { Side } from '../../comparing/side.js';
import type { ExitCode } from '../../exit.js';
import { type Context, isColoured, writeJson } from '../../io.js';
import { LOCAL_OWNER, type Local, readStore, withFiles } from '../../local.js';
import { shellWord } from '../../next-commands.js';
import { compareDocument, renderCompare } from '../../render/compare/compare.js';
import { createInk } from '../../render/ink.js';
import { judgeName } from '../../render/run/notes.js';
import { printable } from '../../render/text.js';
import { didYouMean } from '../../suggest.js';
import { UsageError } from '../../usage-error.js';

export type CompareOptions = {
  readonly agent?: string;
  readonly task?: string;
  readonly all?: boolean;
  readonly allowJudgeMismatch?: boolean;
  readonly conclusive?: boolean;
  /** A drop up to this is no regression; default: the configured one. */
  readonly tolerance?: number;
  readonly bodies?: boolean;
};

/** Unless one task is asked for, whose answers are shown whatever became of them. */
const ANSWERS_SHOWN = 5;

export async function compareCommand(
  context: Context,
  before: string,
  after: string,
  options: CompareOptions,
): Promise<ExitCode> {
  checkNames(context, [before, after], options);
  const compare = (local: Local): Promise<ExitCode> => compareBoth(context, local, [before, after], options);
  // Whose word a file is depends on the whole configuration; runs can be read although something of it is broken.
  if ([before, after].some((wanted) => isFile(wanted, context.io.cwd))) return withFiles(context, compare);
  return readStore(context, compare, () => {
    throw new UsageError('There is no run here yet.', 'Start one with: touchstone run <suite file>');
  });
}

/** What can be told from the names alone is told before anything is opened. */
function checkNames({ io }: Context, names: readonly [string, string], { agent }: CompareOptions): void {
  if (names[1] === 'blessed')
    throw new UsageError(
      'Only the first of the two may be "blessed": it is the baseline of the second.',
      `Type: touchstone compare blessed ${names[0] === 'blessed' ? 'last' : shellWord(names[0])}`,
    );
  if (agent === undefined || names.some((name) => isSuiteRef(name, io.cwd))) return;
  throw new UsageError(
    '--agent narrows a suite, and neither of the two is one.',
    'Leave it out, or name a suite with its version: id@1.0.0',
  );
}

async function compareBoth(
  context: Context,
  { touchstone, config }: Local,
  [first, second]: readonly [string, string],
  options: CompareOptions,
): Promise<ExitCode> {
  const { io, settings } = context;
  const where = { cwd: io.cwd, now: io.now(), ...(options.agent !== undefined && { agent: options.agent }) };
  const after = await findSide(touchstone, second, where);
  const before =
    first === 'blessed'
      ? await findBlessed(touchstone, after, where)
      : await findSide(touchstone, first, where);
  checkTwo(before, after);
  const whole: Comparison = {
    before,
    after,
    ...compareSides(before, after),
    ...(await decide(touchstone, before, after, { tolerance: config.regression.tolerance, ...options })),
  };
  const comparison = options.task === undefined ? whole : onlyTask(whole, options.task);
  const mayShow = options.bodies === true || (io.stdout.isTTY && !settings.json);
  const golden = options.task === undefined;
  const bodies = mayShow
    ? await readBodies(touchstone, comparison, { answers: ANSWERS_SHOWN, golden })
    : NO_BODIES;
  const exitCode = exitOf(whole, options);
  if (settings.json) writeJson(io, compareDocument(comparison, bodies, exitCode));
  else {
    const look = { ink: createInk(isColoured(context, io.stdout)), width: io.stdout.columns };
    const shown = { all: options.all ?? false, task: options.task !== undefined, now: io.now() };
    io.stdout.write(renderCompare(comparison, bodies, { ...look, ...shown }));
  }
  return exitCode;
}

function checkTwo(before: Side, after: Side): void {
  if (before.runId !== after.runId) return;
  throw new UsageError(
    `Both names stand for run ${before.runId}.`,
    'Name two runs, e.g.: touchstone compare last~1 last',
  );
}

/** A verdict, or why there is none. Scores of different judges are held against each other only by request. */
async function decide(
  touchstone: Local['touchstone'],
  before: Side,
  after: Side,
  { allowJudgeMismatch = false, tolerance = 0 }: CompareOptions,
): Promise<Pick<Comparison, 'reason' | 'regression'>> {
  const reason = whyNoVerdict(before, after);
  if (reason !== undefined) return { reason };
  if (judgesDiffer(before, after) && !allowJudgeMismatch) throw otherJudge(before, after);
  const { regression } = await touchstone.report(LOCAL_OWNER, after.runId, {
    against: before.runId,
    allowJudgeMismatch,
    tolerance,
  });
  return { ...(regression && { regression }) };
}

function otherJudge(before: Side, after: Side): UsageError {
  const names = [before, after].map(({ judge }) => (judge ? printable(judgeName(judge)) : 'no judge'));
  const [first, second] = names;
  const what =
    before.judge?.digest === after.judge?.digest
      ? jsonEqual(before.embedder ?? null, after.embedder ?? null)
        ? 'The two runs were held to different rules of safety'
        : 'Meanings were compared by different embedders'
      : first === second
        ? `The two runs were scored by ${first} with different instructions`
        : `The run before was scored by ${first}, the one after by ${second}`;
  return new UsageError(
    `${what}: a difference could be the judges’.`,
    `Compare them all the same with --allow-judge-mismatch, or judge one again with: touchstone rejudge ${before.runId}`,
  );
}

/** The verdict stays that of all tasks: one of them decides nothing. */
function onlyTask(comparison: Comparison, wanted: string): Comparison {
  const { before, after } = comparison;
  const narrowed = (side: Side): Side => ({
    ...side,
    results: side.results.filter(({ taskId }) => taskId === wanted),
  });
  const one = compareSides(narrowed(before), narrowed(after));
  if (one.tasks.length > 0) return { ...comparison, ...one };
  const known = comparison.tasks.map(({ taskId }) => taskId);
  throw new UsageError(`Neither run has a task ${wanted}.`, didYouMean(wanted, known, 'Tasks'));
}

/** A listing without a verdict is what was asked for, unless a verdict was. */
function exitOf({ regression }: Comparison, { conclusive = false }: CompareOptions): ExitCode {
  if (conclusive && (!regression || regression.verdict === 'inconclusive')) return 3;
  return regression?.verdict === 'fail' ? 1 : 0;
}
