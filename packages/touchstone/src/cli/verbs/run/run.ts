import { isHostError, isTerminal } from '@touchstone/protocol';
import { type ExitCode, worstExit } from '../../exit.js';
import { definitionForm } from '../../files/definition-file.js';
import { openSources, readPackArgument } from '../../files/pack-source.js';
import { isFolder, type SuiteSource } from '../../files/suite-source.js';
import { asEvalRun, type EvalRun, findRun, noRun } from '../../find-run.js';
import { type Context, writeLine } from '../../io.js';
import { hasStore, LOCAL_OWNER, type Local, withLocal } from '../../local.js';
import { documentOf } from '../../render/run/document.js';
import { errorDocument, reportError } from '../../report-error.js';
import { localClient, openClient, type Session } from '../../session.js';
import { UsageError } from '../../usage-error.js';
import { candidateOf, checkPromotable, resumedCandidate } from '../deployments/promotable-agent.js';
import { collectResult } from './collect-result.js';
import { driveRun } from './drive-run.js';
import { checkRecordFile } from './record-file.js';
import { bodiesWanted, checkReportFiles, tellResult, writeDocuments, writeReports } from './report.js';
import { exitOfAll, type RefusedSuite, type RunView } from './result.js';
import { checkOptions, type RunOptions } from './run-options.js';
import { createLocalRun } from './start-run.js';

/** One suite of a command: its result, or the reason it was refused. */
export type Attempt = { readonly result: RunView } | { readonly refused: RefusedSuite };

export async function runCommand(
  context: Context,
  suite: string | undefined,
  options: RunOptions,
): Promise<ExitCode> {
  checkOptions(suite, options, context.settings.json);
  checkReportFiles(context, options);
  if (options.record !== undefined) await checkRecordFile(options.record, context.io.cwd);
  if (options.watch) return (await import('./watch.js')).watchRuns(context, suite ?? '', options);
  const attempts = await attemptAll(context, suite, options);
  const results = attempts.flatMap((attempt) => ('result' in attempt ? [attempt.result] : []));
  const refused = attempts.flatMap((attempt) => ('refused' in attempt ? [attempt.refused] : []));
  writeReports(context, results, refused, options);
  if (context.settings.json) {
    const documents = attempts.map((attempt) =>
      'result' in attempt ? documentOf(attempt.result) : attempt.refused,
    );
    writeDocuments(context, documents, suite !== undefined && (await isSeveral(suite, context.io.cwd)));
  }
  return worstExit(attempts.map(exitOfAttempt));
}

/** What may hold several suites is told as a list, also when it holds one. */
const isSeveral = async (suite: string, cwd: string): Promise<boolean> =>
  isFolder(suite, cwd) ||
  (await readPackArgument(suite, cwd)) !== undefined ||
  (await definitionForm(suite, cwd)) === 'B';

export const exitOfAttempt = (attempt: Attempt): ExitCode =>
  'result' in attempt ? exitOfAll(attempt.result) : attempt.refused.exitCode;

async function attemptAll(
  context: Context,
  suite: string | undefined,
  options: RunOptions,
): Promise<readonly Attempt[]> {
  if (options.host) {
    const attempts = await (await import('./remote-run.js')).runRemotely(
      context,
      suite,
      options,
      options.host,
    );
    const { host, keyEnv } = options;
    const session = { client: openClient(context, host, keyEnv), where: { host, keyEnv } };
    return options.promote ? promoteOn(context, session, attempts, options) : attempts;
  }
  if (options.resume !== undefined && !(await hasStore(context)))
    throw noRun(options.resume === true ? 'last' : options.resume);
  if (await mayNeedThread(context, suite, options)) await prepareAgentThread();
  return withLocal(context, async (local) => {
    const attempts = await attemptHere(context, local, suite, options);
    if (!options.promote) return attempts;
    const session = { client: await localClient(local), where: {}, local };
    return promoteOn(context, session, attempts, options);
  });
}

async function attemptHere(
  context: Context,
  local: Local,
  suite: string | undefined,
  options: RunOptions,
): Promise<readonly Attempt[]> {
  if (options.resume !== undefined) return [{ result: await resumeRun(context, local, suite, options) }];
  const sources = await openSources(context, local, suite ?? '', options);
  checkOne(sources, options);
  if (options.promote) checkPromotable(local.config, candidateOf(sources[0], options), context.io.cwd);
  return runEach(
    context,
    sources,
    (source) => runOne(context, local, source, options),
    (result) => tellResult(context, result, options),
  );
}

/** On the host that the run is on. */
async function promoteOn(
  context: Context,
  session: Session,
  attempts: readonly Attempt[],
  options: RunOptions,
): Promise<readonly Attempt[]> {
  const { promoteAfter } = await import('../deployments/promote-after-run.js');
  return promoteAfter(context, session, attempts, options);
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
export function checkOne(sources: readonly SuiteSource[], { record, promote }: RunOptions): void {
  if (sources.length === 1 || (record === undefined && !promote)) return;
  const what = promote ? '--promote takes one run as evidence' : '--record writes one suite';
  throw new UsageError(
    `${what}, and there are ${sources.length} to run.`,
    'Name one suite file; of a pack, one agent with --agent.',
  );
}

/** Most agents are modules; the thread they live in starts while the suite is read. */
async function prepareAgentThread(): Promise<void> {
  const { prepareModuleThread } = await import('../../../app/index.js');
  prepareModuleThread();
}

/** One after the other. In a folder, a suite that is refused does not keep the others from running. */
export async function runEach(
  context: Context,
  sources: readonly SuiteSource[],
  run: (source: SuiteSource) => Promise<RunView>,
  tell: (result: RunView) => void,
): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = [];
  for (const source of sources) {
    const attempt = await attemptOne(context, source, run, tell, sources.length > 1);
    attempts.push(attempt);
    if ('result' in attempt && attempt.result.interrupted) break;
  }
  return attempts;
}

async function attemptOne(
  context: Context,
  source: SuiteSource,
  run: (source: SuiteSource) => Promise<RunView>,
  tell: (result: RunView) => void,
  tolerant: boolean,
): Promise<Attempt> {
  try {
    const result = await run(source);
    tell(result);
    return { result };
  } catch (error) {
    if (!tolerant || !(isHostError(error) || error instanceof UsageError)) throw error;
    writeLine(context.io.stderr, `${nameOf(source)} was not run:`);
    const exitCode = reportError(error, context.io);
    const { code, message } = errorDocument(error);
    return { refused: { suite: { ref: nameOf(source) }, exitCode, error: { code, message } } };
  }
}

function nameOf(source: SuiteSource): string {
  if (source.kind === 'packed') return source.suiteRef;
  if (source.kind === 'reference') return source.reference;
  const { head } = source.kind === 'file' ? source.suite : source.compiled.suite;
  return `${head.suiteId}@${head.version}`;
}

export async function runOne(
  context: Context,
  local: Local,
  source: SuiteSource,
  options: RunOptions,
): Promise<RunView> {
  const { created, uncompared } = await createLocalRun(context, local, source, options);
  const result = await finishRun(context, local, created, options);
  return { ...result, ...(uncompared !== undefined && { uncompared }) };
}

async function resumeRun(
  context: Context,
  local: Local,
  suite: string | undefined,
  options: RunOptions,
): Promise<RunView> {
  const { findRunToResume } = await import('./resume-run.js');
  const run = await findRunToResume(local, suite, options, context.io.cwd);
  if (options.promote) checkPromotable(local.config, resumedCandidate(run, options), context.io.cwd);
  if (run.status === 'paused') await local.touchstone.engine.resume(LOCAL_OWNER, run.runId, 'cli');
  const result = await finishRun(context, local, run, options);
  tellResult(context, result, options);
  return result;
}

/** Drives a run that has been created, and folds what came of it. */
export async function finishRun(
  context: Context,
  local: Local,
  { runId }: EvalRun,
  options: Pick<RunOptions, 'bodies' | 'record' | 'conclusive'>,
): Promise<RunView> {
  const { interrupted } = await driveRun(context.io, local, runId);
  const run = asEvalRun(await findRun(local.touchstone, runId));
  const atRest = isTerminal(run.status) || run.status === 'paused';
  if (!atRest && !interrupted) {
    throw new UsageError(
      `Run ${runId} is at work in another process.`,
      'Wait for it, or stop that process first.',
    );
  }
  const result = await collectResult(local.touchstone, run, {
    interrupted: interrupted && !isTerminal(run.status),
    bodies: bodiesWanted(context, options),
    now: context.io.now(),
    ...(options.conclusive && { conclusive: true }),
  });
  if (options.record === undefined) return result;
  return (await import('./record-run.js')).recordRun(context, local, result, options.record);
}
