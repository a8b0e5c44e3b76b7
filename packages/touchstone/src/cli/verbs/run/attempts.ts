import { defined, isHostError, isTerminal, type RunId } from '@touchstone/protocol';
import { collectRun, HostResponseError, HostUnreachable } from '@touchstone/sdk';
import { parseFailOn } from '@touchstone/sdk/view';
import type { SuiteSource } from '../../files/suite-source.js';
import { type Context, UsageError, writeLine } from '../../io.js';
import { errorDocument, reportError } from '../../report-error.js';
import { commandToType, type Session } from '../../session.js';
import { confirmNews } from './confirm.js';
import { bodiesWanted, resumeWords } from './report.js';
import type { Attempt, RunView } from './result.js';
import type { RunDriver } from './run-driver.js';
import type { RunOptions } from './run-options.js';
import { startRun } from './start-run.js';
import { NothingToRun } from './task-choice.js';

/** One after the other. In a folder, a suite that is refused does not keep the others from running. */
export async function runEach(
  context: Context,
  sources: readonly SuiteSource[],
  run: (source: SuiteSource) => Promise<RunView>,
  tell: (result: RunView, source: SuiteSource) => void,
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
  tell: (result: RunView, source: SuiteSource) => void,
  tolerant: boolean,
): Promise<Attempt> {
  try {
    const result = await run(source);
    tell(result, source);
    return { result, source };
  } catch (error) {
    if (error instanceof NothingToRun) return skip(context, nameOf(source), error, tolerant);
    if (!tolerant || !isRefusal(error)) throw error;
    writeLine(context.io.stderr, `${nameOf(source)} was not run:`);
    const exitCode = reportError(error, context.io);
    const { code, message } = errorDocument(error);
    return { refused: { suite: { ref: nameOf(source) }, exitCode, error: { code, message } } };
  }
}

/** In a folder a suite without a chosen task is named and passed over. Alone it is a mistake, unless nothing had failed. */
function skip({ io }: Context, ref: string, { message, exitCode }: NothingToRun, tolerant: boolean): Attempt {
  if (!tolerant && exitCode !== 0) throw new UsageError(`Nothing of ${ref} is to be run: ${message}`);
  writeLine(io.stderr, `${ref} was not run: ${message}`);
  return { skipped: { suite: { ref }, exitCode, skipped: message } };
}

/** A key that is not accepted stops everything: no other suite would fare better. */
const isRefusal = (error: unknown): boolean =>
  isHostError(error) ||
  error instanceof UsageError ||
  (error instanceof HostResponseError && error.status !== 401);

export function nameOf(source: SuiteSource): string {
  if (source.kind === 'packed') return source.suiteRef;
  if (source.kind === 'reference') return source.reference;
  const { suiteId, version } = headOf(source);
  return `${suiteId}@${version}`;
}

const headOf = (source: Extract<SuiteSource, { kind: 'file' | 'profile' }>) =>
  (source.kind === 'file' ? source.suite : source.compiled.suite).head;

export async function runOne(
  context: Context,
  session: Session,
  driver: RunDriver,
  source: SuiteSource,
  options: RunOptions,
): Promise<RunView> {
  const { runId, uncompared } = await startRun(context, session, driver, source, options);
  const first = await finishRun(context, session, driver, runId, options, uncompared);
  const view = await confirmNews(context, session, driver, source, first, options);
  if (source.kind !== 'file' && source.kind !== 'profile') return view;
  // A host of another kind does not tell the thresholds of the suite that it was given.
  return { ...view, thresholds: { ...headOf(source).thresholds, ...view.thresholds } };
}

/** Follows a run that has been created to its end, and folds what its host tells of it. */
export async function finishRun(
  context: Context,
  session: Session,
  driver: RunDriver,
  runId: RunId,
  options: Pick<
    RunOptions,
    'bodies' | 'record' | 'conclusive' | 'failOn' | 'junit' | 'markdown' | 'junitFailures' | 'summary'
  >,
  uncompared?: string,
): Promise<RunView> {
  try {
    return await followRun(context, session, driver, runId, options, uncompared);
  } catch (error) {
    if (error instanceof HostUnreachable) tellLost(context, session, runId, options);
    throw error;
  }
}

/** The run does not depend on who follows it. */
function tellLost(context: Context, { where }: Session, runId: RunId, options: RunOptions): void {
  const again = commandToType(context, resumeWords(runId, { ...options, ...where }));
  writeLine(context.io.stderr, `The host was lost. Run ${runId} is kept there, and goes on when it can.`);
  writeLine(context.io.stderr, `Follow it again with: ${again}`);
}

async function followRun(
  context: Context,
  { client, local }: Session,
  driver: RunDriver,
  runId: RunId,
  options: Pick<RunOptions, 'bodies' | 'record' | 'conclusive' | 'failOn' | 'summary'>,
  uncompared?: string,
): Promise<RunView> {
  const { interrupted } = await driver.follow(runId);
  const view = await collectRun(client, runId, {
    interrupted,
    bodies: bodiesWanted(context, options),
    now: context.io.now(),
    ...(options.conclusive && { conclusive: true }),
    ...defined({ failOn: options.failOn && parseFailOn(options.failOn), summary: options.summary }),
  });
  if (local && !interrupted && !isTerminal(view.status) && view.status !== 'paused')
    throw new UsageError(
      `Run ${runId} is at work in another process.`,
      'Wait for it, or stop that process first.',
    );
  const result = { ...view, ...(uncompared !== undefined && { uncompared }) };
  if (options.record === undefined || !local) return result;
  return (await import('./record-run.js')).recordRun(context, client, local, result, options.record);
}
