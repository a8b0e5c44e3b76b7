import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { defined } from '@touchstone/protocol';
import { type Matrix, outcomeOf, plural, whole } from '@touchstone/sdk/view';
import { FILE_FORMATS } from '../../../exporters/index.js';
import { placeFile, targetOf } from '../../files/local-files.js';
import { type Context, lookOf, mayShowContent, UsageError, writeLine } from '../../io.js';
import { isJob } from '../../out.js';
import type { NextCommand } from '../../render/layout.js';
import { renderJunit, renderMarkdown } from '../../render/run/document.js';
import { FAILURES_READ, renderScorecard } from '../../render/run/scorecard.js';
import { shell } from '../../render/shell.js';
import { commandToType, flag, type Session, whereFlags } from '../../session.js';
import { UnwritableError, wordsOf } from '../../system-errors.js';
import { isGithub } from './github/tell-github.js';
import { type Attempt, type RunView, refOf, withoutBodies } from './result.js';
import type { RunOptions } from './run-options.js';

/** What a person may want to type next. Options that the command was given are carried over where they still matter. */
export function nextCommands(
  context: Context,
  result: RunView,
  options: RunOptions & TellOptions,
): readonly NextCommand[] {
  // Of all that failed, what did not fail before is the news.
  const first = result.report?.regression?.toFail[0] ?? result.failures[0]?.taskId;
  const next = (words: string, does: string) => ({ command: commandToType(context, words), does });
  return [
    ...(result.recorded === undefined
      ? []
      : [next(replayWords(result, result.recorded, options), 'the same from the recording')]),
    ...(first === undefined
      ? []
      : [
          next(
            [shell`show ${options.name ?? 'last'} --task ${first}`, ...whereFlags(options)].join(' '),
            'all of one task',
          ),
        ]),
    ...(options.host === undefined && !isJob(context.io.env)
      ? [next(shell`view ${options.name ?? 'last'} --open`, 'the run in a browser')]
      : []),
  ];
}

/** How a run is told of. */
type TellOptions = {
  /** What to call the run in commands; `last` when it is the last one. */
  readonly name?: string;
  /** Lines about the previous run of a watch. */
  readonly delta?: readonly string[];
};

/** The recorded suite asked the same way: by the same agent and model, as often, and of the same tasks. */
function replayWords({ agent }: RunView, recorded: string, options: RunOptions): string {
  const { only, repeats, model, allowTargetMismatch } = options;
  return [
    shell`run ${recorded}`,
    ...flag('--agent', options.agent ?? refOf(agent)),
    ...flag('--only', only?.join(',')),
    ...flag('--repeats', repeats),
    ...flag('--model', model),
    ...(allowTargetMismatch ? ['--allow-target-mismatch'] : []),
  ].join(' ');
}

/** What the run is to do is planned and kept; where its results go has to be said again. */
export function resumeWords(runId: string, options: RunOptions): string {
  const {
    record,
    junit,
    junitFailures,
    markdown,
    output = [],
    bodies,
    conclusive,
    failOn,
    host,
    keyEnv,
  } = options;
  return [
    shell`run --resume ${runId}`,
    ...flag('--record', record),
    ...flag('--junit', junit),
    ...flag('--junit-failures', junitFailures),
    ...flag('--markdown', markdown),
    ...output.flatMap((name) => flag('--output', name)),
    ...(bodies ? ['--bodies'] : []),
    ...(conclusive ? ['--conclusive'] : []),
    ...flag('--fail-on', failOn?.join(',')),
    ...whereFlags({ host, keyEnv }),
  ].join(' ');
}

/** So many failures are told with the check they failed, in a report without content. */
export const MOST_CHECKS = 500;

/**
 * How much is read of the summary of a run. Files list every task. A document does, too; of a run that is here its list is read while
 * it is written, and another host may be lost in the middle of it.
 */
export function summaryFor(
  { settings }: Context,
  { local }: Session,
  { junit, output }: Pick<RunOptions, 'junit' | 'output'>,
): Pick<RunOptions, 'summary'> {
  if (junit !== undefined || output !== undefined || (settings.json && !local)) return {};
  return { summary: settings.json ? 'totals' : 'headline' };
}

type ReportContent = Pick<RunOptions, 'bodies' | 'junit' | 'markdown' | 'output' | 'github'>;

/** How many failures are read with their bodies: on a terminal those that are shown, with `--bodies` all. */
export function bodiesWanted(context: Context, options: ReportContent): number {
  if (options.bodies) return Number.POSITIVE_INFINITY;
  if ([options.junit, options.markdown, options.output].some((file) => file !== undefined))
    return MOST_CHECKS;
  if (isGithub(context, options)) return MOST_CHECKS;
  return mayShowContent(context, options) ? FAILURES_READ : 0;
}

/** `--markdown -`: stdout then holds the summary and nothing else. */
export const STDOUT = '-';

/** Tells of one run as soon as it is over; with `--json` everything is told at the end. */
export function tellResult(context: Context, result: RunView, options: RunOptions & TellOptions): void {
  const { io, settings } = context;
  const { delta = [] } = options;
  if (result.interrupted) tellInterrupted(context, result, options);
  if (settings.json || result.interrupted || options.markdown === STDOUT) return;
  const look = lookOf(context);
  const shown = mayShowContent(context, options) ? result : withoutBodies(result);
  const showAll = commandToType(context, shell`show ${result.runId} --failed`, options);
  io.stdout.write(
    renderScorecard(shown, {
      ...{ showAll, ...look, delta, next: nextCommands(context, result, options) },
      ...defined({ prompt: options.prompt }),
    }),
  );
}

/** Several suites end with one line that counts them: `2 suites: 1 passed, 1 failed`. */
export function tellSuites(
  { io, settings }: Context,
  attempts: readonly Attempt[],
  options: RunOptions,
): void {
  if (attempts.length < 2 || settings.json) return;
  const words = attempts.map(wordOf);
  const counts = SUITE_WORDS.flatMap((word) => {
    const count = words.filter((one) => one === word).length;
    return count === 0 ? [] : [`${whole(count)} ${word}`];
  });
  const out = options.markdown === STDOUT ? io.stderr : io.stdout;
  writeLine(out, `\n  ${plural(attempts.length, 'suite')}: ${counts.join(', ')}`);
}

const SUITE_WORDS = ['passed', 'failed', 'not judged', 'over budget', 'interrupted', 'not run'] as const;

const wordOf = (attempt: Attempt): (typeof SUITE_WORDS)[number] =>
  'result' in attempt ? OUTCOME_WORDS[outcomeOf(attempt.result)] : 'not run';

const OUTCOME_WORDS = {
  passed: 'passed',
  failed: 'failed',
  unjudged: 'not judged',
  'over-budget': 'over budget',
  interrupted: 'interrupted',
} as const;

function tellInterrupted(context: Context, { counts, runId }: RunView, options: RunOptions): void {
  const { io } = context;
  const done = counts.passed + counts.failed + counts.unscored;
  writeLine(io.stderr, `Interrupted: ${whole(done)} of ${whole(counts.selected)} tasks are done and kept.`);
  writeLine(io.stderr, `Resume with: ${commandToType(context, resumeWords(runId, options))}`);
}

export function writeReports(
  { io }: Context,
  attempts: readonly Attempt[],
  { bodies, junit, markdown, junitFailures }: ReportContent & Pick<RunOptions, 'junitFailures'>,
  matrices?: readonly Matrix[],
): void {
  const results = attempts.flatMap((attempt) => ('result' in attempt ? [attempt.result] : []));
  const refused = attempts.flatMap((attempt) => ('refused' in attempt ? [attempt.refused] : []));
  const shown = bodies ? results : results.map(withoutBodies);
  if (junit) writeReport(io.cwd, '--junit', junit, renderJunit(shown, refused, junitFailures));
  if (markdown === STDOUT) io.stdout.write(renderMarkdown(shown, refused, matrices));
  else if (markdown) writeReport(io.cwd, '--markdown', markdown, renderMarkdown(shown, refused, matrices));
}

const isSamePlace = (cwd: string, one: string, other: string): boolean =>
  targetOf(resolve(cwd, one)) === targetOf(resolve(cwd, other));

/** A report that cannot be written is found out before any task is run. */
export function checkReportFiles(
  { io }: Context,
  { answers, junit, markdown, output = [] }: Pick<RunOptions, 'answers' | 'junit' | 'markdown' | 'output'>,
): void {
  const named = [
    ['--junit', junit],
    ['--markdown', markdown === STDOUT ? undefined : markdown],
    ...output.map((name) => ['--output', name] as const),
  ].flatMap(([option = '', name]) => (name === undefined ? [] : [{ option, name }]));
  checkFormats(output);
  // What is read must still be there afterwards.
  checkDistinct(io.cwd, [
    ...(answers === undefined ? [] : [{ option: '--answers', name: answers }]),
    ...named,
  ]);
  // Whether it can be written is seen by writing nothing to it; one that was not there is not left behind.
  const touch = (file: string): void => {
    const isNew = !existsSync(file);
    closeSync(openSync(file, 'a'));
    if (isNew) rmSync(file);
  };
  for (const { option, name } of named) checkWritable(io.cwd, option, name, touch);
}

/** The end of a name of `--output`, which says what is written. */
export const formatOf = (name: string): string => extname(name).toLowerCase();

function checkFormats(output: readonly string[]): void {
  const unknown = output.find((name) => FILE_FORMATS[formatOf(name)] === undefined);
  if (unknown === undefined) return;
  throw new UsageError(
    `--output ${unknown} does not say what to write: its name must end in ${Object.keys(FILE_FORMATS).join(', ')}.`,
    'For example: --output results.csv',
  );
}

type NamedFile = { readonly option: string; readonly name: string };

function checkDistinct(cwd: string, named: readonly NamedFile[]): void {
  for (const [at, { option, name }] of named.entries()) {
    const before = named.slice(0, at).find((other) => isSamePlace(cwd, other.name, name));
    if (before)
      throw new UsageError(
        `${before.option} and ${option} are the same file, ${name}.`,
        'Name another file.',
      );
  }
}

function checkWritable(cwd: string, flag: string, name: string, check: (file: string) => void): void {
  const file = resolve(cwd, name);
  try {
    mkdirSync(dirname(file), { recursive: true });
    check(file);
  } catch (error) {
    throw new UsageError(`${flag} ${name} cannot be written: ${wordsOf(error)}.`, 'Name another file.');
  }
}

/** Whatever keeps `--record` from writing its file is found out before any task is run. */
export function checkRecordFile(name: string, cwd: string): void {
  if (!['.json', '.yaml', '.yml'].includes(extname(name).toLowerCase()))
    throw new UsageError(
      `--record ${name} must end in .json, .yaml or .yml.`,
      'For example: --record evals/recorded.suite.yaml',
    );
  if (existsSync(resolve(cwd, name)))
    throw new UsageError(
      `--record writes no file over another, and ${name} is there.`,
      'Name another file, or remove that one.',
    );
  checkWritable(cwd, '--record', name, (file) => accessSync(dirname(file), constants.W_OK));
}

export function writeReport(cwd: string, flag: string, name: string, text: string): void {
  const file = resolve(cwd, name);
  try {
    mkdirSync(dirname(file), { recursive: true });
    if (isReplaceable(file)) placeFile(file, text, true);
    else writeFileSync(file, text);
  } catch (error) {
    throw new UnwritableError(`${flag} ${name}`, error);
  }
}

/** A pipe or a device is written to, and so is a file in a folder that takes no other; any other file is put in place whole. */
function isReplaceable(file: string): boolean {
  const entry = statSync(file, { throwIfNoEntry: false });
  if (!entry) return true;
  if (!entry.isFile()) return false;
  try {
    accessSync(dirname(targetOf(file)), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
