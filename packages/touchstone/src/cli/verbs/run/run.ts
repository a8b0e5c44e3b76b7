import { prepareModuleThread } from '../../../threads/index.js';
import { definitionForm } from '../../files/definition-file.js';
import { openSources, readPackArgument } from '../../files/pack-source.js';
import { inProject } from '../../files/project-config.js';
import { isFolder, type SuiteSource } from '../../files/suite-source.js';
import { type Context, type ExitCode, UsageError, worstExit, writeJson } from '../../io.js';
import { uncomparedOf } from '../../origin.js';
import { documentOf } from '../../render/run/document.js';
import { asEvalRun } from '../../run-lookup.js';
import { type Session, withKeptRun, withSession } from '../../session.js';
import { writeDocuments } from '../../write-documents.js';
import { candidateOf, checkPromotable, resumedCandidate } from '../deployments/promotable-agent.js';
import { finishRun, runEach, runOne } from './attempts.js';
import { checkBaselineFile } from './baseline-choice.js';
import { tellGithub } from './github/tell-github.js';
import {
  checkRecordFile,
  checkReportFiles,
  summaryFor,
  tellResult,
  tellSuites,
  writeReports,
} from './report.js';
import { type Attempt, exitOfAttempt, isRun, type RunView } from './result.js';
import { driverOf, type RunDriver } from './run-driver.js';
import { checkOptions, type RunOptions } from './run-options.js';
import { checkMatrix, type TypedOptions, type Variant, variantsOf } from './variants.js';

const ONE_VARIANT = '--until-conclusive evaluates one agent at a time.';

export async function runCommand(
  given: Context,
  suite: string | undefined,
  typed: TypedOptions,
): Promise<ExitCode> {
  const variants = variantsOf(typed);
  for (const { options } of variants) checkOptions(suite, options, given.settings.json);
  if (variants.length > 1) checkMatrix(typed);
  const options = variants[0]?.options ?? {};
  const context = options.host === undefined ? await inProject(given, suite) : given;
  checkReportFiles(context, options);
  if (options.record !== undefined) checkRecordFile(options.record, context.io.cwd);
  checkBaselineFile(context, options.host, options.baseline);
  if (options.dryRun) {
    const { dryRun } = await import('./dry-run.js');
    return dryRun(context, suite ?? '', options, await isSeveral(suite ?? '', context.io.cwd));
  }
  if (options.watch) return (await import('./watch.js')).watchRuns(context, suite ?? '', options);
  if (options.untilConclusive) {
    if (variants.length > 1) throw new UsageError(ONE_VARIANT, 'Name one agent, one model and one prompt.');
    return (await import('./rounds/run-rounds.js')).runInRounds(context, suite ?? '', options);
  }
  if (variants.length > 1) return runSideBySide(context, suite ?? '', variants);
  const attempts = await attemptAll(context, suite, options);
  writeReports(context, attempts, options);
  tellSuites(context, attempts, options);
  const exitCode = exitOfAll(attempts);
  const argument =
    suite ??
    attempts
      .filter(isRun)
      .map(({ result }) => result.suite.suiteId)
      .join(' ');
  await tellGithub(context, { attempts, exitCode, argument }, options);
  return exitCode;
}

/** Each combination of repeated options is a run of its own; the document of a suite has all of them. */
async function runSideBySide(
  context: Context,
  suite: string,
  variants: readonly Variant[],
): Promise<ExitCode> {
  const { runMatrix } = await import('./run-matrix.js');
  const done = await runMatrix(context, suite, variants);
  const options = variants[0]?.options ?? {};
  const attempts = done.flatMap((one) => one.attempts);
  const matrices = done.map(({ matrix }) => matrix);
  writeReports(context, attempts, options, matrices);
  if (context.settings.json) {
    const documents = done.map(({ attempts: runs, matrix }) => ({ runs: runs.map(attemptDocument), matrix }));
    writeJson(context.io, (await isSeveral(suite, context.io.cwd)) ? documents : documents[0]);
  }
  const exitCode = exitOfAll(attempts);
  await tellGithub(context, { attempts, exitCode, argument: suite, matrices }, options);
  return exitCode;
}

function attemptDocument(attempt: Attempt): object {
  if (isRun(attempt)) return documentOf(attempt.result);
  return 'refused' in attempt ? attempt.refused : attempt.skipped;
}

/** Suites that were passed over decide only when nothing else was run. */
function exitOfAll(attempts: readonly Attempt[]): ExitCode {
  const tried = attempts.filter((attempt) => !('skipped' in attempt));
  return worstExit((tried.length > 0 ? tried : attempts).map(exitOfAttempt));
}

/** What may hold several suites makes a list, also when it holds one. */
const isSeveral = async (suite: string, cwd: string): Promise<boolean> =>
  isFolder(suite, cwd) ||
  (await readPackArgument(suite, cwd)) !== undefined ||
  (await definitionForm(suite, cwd)) === 'B';

async function attemptAll(
  context: Context,
  suite: string | undefined,
  options: RunOptions,
): Promise<readonly Attempt[]> {
  const { resume, promote } = options;
  const { json } = context.settings;
  const attempt = async (session: Session): Promise<readonly Attempt[]> => {
    const asked = { ...options, ...summaryFor(context, session, options) };
    const tried = await attemptEach(context, session, suite, asked);
    if (options.output)
      await (await import('./output-files.js')).writeOutputs(context, session, tried, options);
    // On the host that the run is on.
    const attempts = promote
      ? await (await import('../deployments/promote.js')).promoteAfter(context, session, tried, options)
      : tried;
    if (json) await tellAsJson(context, session, suite, attempts);
    return attempts;
  };
  // Most agents are modules; the thread they live in starts while the suite is read, unless it has been started already.
  if (options.host === undefined && (await mayNeedThread(context, suite, options))) prepareModuleThread();
  return resume === undefined
    ? withSession(context, options, 'work', attempt)
    : withKeptRun(context, options, 'work', resume === true ? 'last' : resume, attempt);
}

async function tellAsJson(
  { io }: Context,
  { client }: Session,
  suite: string | undefined,
  attempts: readonly Attempt[],
): Promise<void> {
  const documents = attempts.map(attemptDocument);
  const several = suite !== undefined && (await isSeveral(suite, io.cwd));
  await writeDocuments({ io, client }, several ? documents : documents[0]);
}

async function attemptEach(
  context: Context,
  session: Session,
  suite: string | undefined,
  options: RunOptions,
): Promise<readonly Attempt[]> {
  const driver = driverOf(context.io, session);
  if (options.resume !== undefined)
    return [{ result: await resumeRun(context, session, driver, suite, options) }];
  const sources = await openSources(context, session, suite ?? '', options);
  checkOne(sources, options);
  if (options.promote && session.local)
    checkPromotable(session.local.config, candidateOf(sources[0], options), context.io.cwd);
  return runEach(
    context,
    sources,
    (source) => runOne(context, session, driver, source, { ...options, oneOfSeveral: sources.length > 1 }),
    (result) =>
      tellResult(context, result, sources.length > 1 ? { ...options, name: result.runId } : options),
  );
}

const mayNeedThread = async (
  { io }: Context,
  suite: string | undefined,
  { agent }: RunOptions,
): Promise<boolean> => {
  if (/^https?:/.test(agent ?? '')) return false;
  if (suite === undefined) return true;
  if (agent === undefined && (await definitionForm(suite, io.cwd)) !== undefined) return false;
  return (await readPackArgument(suite, io.cwd)) === undefined;
};

/** A file is written of one run, and a promotion rests on one. */
export function checkOne(sources: readonly SuiteSource[], { record, promote, answers }: RunOptions): void {
  if (sources.length === 1 || (record === undefined && answers === undefined && !promote)) return;
  const what = promote
    ? '--promote takes one run as evidence'
    : record === undefined
      ? '--answers holds the answers to one suite'
      : '--record writes one suite';
  throw new UsageError(
    `${what}, and there are ${sources.length} to run.`,
    'Name one suite file; of a pack, one agent with --agent.',
  );
}

async function resumeRun(
  context: Context,
  session: Session,
  driver: RunDriver,
  suite: string | undefined,
  options: RunOptions,
): Promise<RunView> {
  const { checkUnchanged, findRunToResume } = await import('./resume-run.js');
  const { cwd } = context.io;
  const { local } = session;
  const run = await findRunToResume(session, options);
  if (local) await checkUnchanged({ ...session, local }, asEvalRun(run), suite, options, cwd);
  if (local && options.promote) checkPromotable(local.config, resumedCandidate(asEvalRun(run), options), cwd);
  if (run.status === 'paused') await driver.resume(run.runId);
  const result = await finishRun(context, session, driver, run.runId, options, uncomparedOf(run));
  tellResult(context, result, options);
  return result;
}
