import { appendFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Matrix } from '@touchstone/sdk/view';
import {
  commentMarker,
  cutText,
  escapeData,
  githubAnnotations,
  type SuiteLines,
} from '../../../../exporters/index.js';
import type { Context, ExitCode } from '../../../io.js';
import { isJob } from '../../../out.js';
import { exportedRun, renderMarkdown } from '../../../render/run/document.js';
import { wordsOf } from '../../../system-errors.js';
import { type Attempt, isRun, type RefusedSuite, type RunView, withoutBodies } from '../result.js';
import type { RunOptions } from '../run-options.js';
import { writeComment } from './comment.js';

/** On by default in a job of GitHub Actions. */
export const isGithub = ({ io }: Context, { github }: Pick<RunOptions, 'github'>): boolean =>
  github ?? isJob(io.env);

/** Limits of GitHub: of a step summary, in bytes, and of a comment, in characters. */
const MOST_SUMMARY_BYTES = 1024 * 1024 - 1;
const MOST_COMMENT_BYTES = 65_536;

type Report = {
  readonly attempts: readonly Attempt[];
  readonly exitCode: ExitCode;
  /** What was run, as the caller named it. */
  readonly argument: string;
  /** Runs side by side. */
  readonly matrices?: readonly Matrix[];
};

/** Tells GitHub what came of a command. Whatever goes wrong here is a warning, and never the exit code. */
export async function tellGithub(context: Context, report: Report, options: RunOptions): Promise<void> {
  if (!isGithub(context, options)) return;
  const shown = report.attempts
    .filter(isRun)
    .map(({ result }) => (options.bodies ? result : withoutBodies(result)));
  const refused = report.attempts.flatMap((attempt) => ('refused' in attempt ? [attempt.refused] : []));
  const markdown = renderMarkdown(shown, refused, report.matrices);
  const { env } = context.io;
  annotate(context, report.attempts, refused);
  append(context, env.GITHUB_STEP_SUMMARY, `${markdown}\n`, MOST_SUMMARY_BYTES);
  append(context, env.GITHUB_OUTPUT, outputsOf(report.exitCode, shown));
  const body = cutText(`${commentMarker(report.argument)}\n${markdown}`, MOST_COMMENT_BYTES);
  const problem = await writeComment(env, body);
  if (problem !== undefined) warn(context, problem);
}

const warn = ({ io }: Context, message: string): void =>
  io.stderr.writeCommand(`::warning title=touchstone::${escapeData(message)}`);

/** The runner reads both streams; stdout may hold a document. */
function annotate(context: Context, attempts: readonly Attempt[], refused: readonly RefusedSuite[]): void {
  const runs = attempts.filter(isRun).map((attempt) => ({
    run: exportedRun(withoutBodies(attempt.result)),
    place: placeOf(context, attempt),
  }));
  for (const line of githubAnnotations(runs, refused)) context.io.stderr.writeCommand(line);
}

/** By its path in the repository, which a job may have entered a folder of. */
function placeOf({ io }: Context, { source }: Extract<Attempt, { result: RunView }>): SuiteLines | undefined {
  if (source?.kind !== 'file') return undefined;
  const file = relative(resolve(io.env.GITHUB_WORKSPACE ?? io.cwd), resolve(io.cwd, source.file));
  return { file, lines: source.lines() };
}

const VERDICTS: { readonly [code in ExitCode]: string } = {
  0: 'passed',
  1: 'failed',
  2: 'not run',
  3: 'not judged',
  4: 'over budget',
  130: 'interrupted',
};

/** Of several suites the lowest score, and all run ids. */
function outputsOf(exitCode: ExitCode, runs: readonly RunView[]): string {
  const scores = runs.flatMap(({ summary, counts }) =>
    summary && counts.unscored === 0 ? [summary.aggregateScore] : [],
  );
  const outputs = {
    'exit-code': exitCode,
    verdict: VERDICTS[exitCode],
    score: scores.length > 0 && scores.length === runs.length ? Math.min(...scores) : '',
    'run-id': runs.map(({ runId }) => runId).join(','),
  };
  return Object.entries(outputs)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** To a file that the runner has made for this step. */
function append(context: Context, file: string | undefined, text: string, mostBytes?: number): void {
  if (!file) return;
  try {
    const taken = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    appendFileSync(file, mostBytes === undefined ? text : cutText(text, Math.max(0, mostBytes - taken)));
  } catch (error) {
    warn(context, `A file of the runner cannot be written: ${wordsOf(error)}.`);
  }
}
