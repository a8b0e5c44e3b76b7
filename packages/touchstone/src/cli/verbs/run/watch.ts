import { refOf, score } from '@touchstone/sdk/view';
import { openSources } from '../../files/pack-source.js';
import { type Context, type ExitCode, lookOf, worstExit, writeLine } from '../../io.js';
import type { Ink } from '../../render/text.js';
import { reportError } from '../../report-error.js';
import { withSession } from '../../session.js';
import { runEach, runOne } from './attempts.js';
import { writeOutputs } from './output-files.js';
import { tellResult, writeReports } from './report.js';
import { exitOfAttempt, type RunView } from './result.js';
import { driverOf } from './run-driver.js';
import type { RunOptions } from './run-options.js';
import { type FileWatcher, watchedBy, watchFiles } from './watch-paths.js';

const IDS_SHOWN = 6;

/** What moved since the previous run of the same suite: the score, and the tasks that changed sides. */
export function renderDelta(before: RunView | undefined, after: RunView, ink: Ink): string[] {
  if (!before?.summary || !after.summary) return [];
  const passed = new Map((before.summary.tasks ?? []).map(({ taskId, passed }) => [taskId, passed]));
  const flipped = (after.summary.tasks ?? []).filter(
    (task) => passed.has(task.taskId) && passed.get(task.taskId) !== task.passed,
  );
  const better = flipped.filter((task) => task.passed).map(({ taskId }) => taskId);
  const worse = flipped.filter((task) => !task.passed).map(({ taskId }) => taskId);
  const isScored = before.counts.unscored + after.counts.unscored === 0;
  return [
    ...(isScored ? [scoreLine(before.summary.aggregateScore, after.summary.aggregateScore, ink)] : []),
    ...(better.length > 0 ? [ink.green(`↑ now passing: ${listed(better)}`)] : []),
    ...(worse.length > 0 ? [ink.red(`↓ now failing: ${listed(worse)}`)] : []),
  ];
}

function scoreLine(before: number, after: number, ink: Ink): string {
  if (after === before) return ink.dim(`= score ${score(after)}, as in the last run`);
  const line = `${after > before ? '↑' : '↓'} score ${score(before)} → ${score(after)} since the last run`;
  return after > before ? ink.green(line) : ink.red(line);
}

function listed(ids: readonly string[]): string {
  const more = ids.length > IDS_SHOWN ? ` and ${ids.length - IDS_SHOWN} more` : '';
  return ids.slice(0, IDS_SHOWN).join(', ') + more;
}

/**
 * Runs, waits for a change, runs again, until Ctrl-C or until its output has no reader. A mistake in a file is reported and
 * waited out like any change.
 */
export async function watchRuns(context: Context, suite: string, options: RunOptions): Promise<ExitCode> {
  const { io } = context;
  const before = new Map<string, RunView>();
  for (;;) {
    const watcher = watchFiles(await watchedBy(context, suite, options));
    try {
      if (io.stdout.isTTY) io.stdout.clearScreen();
      const exit = await runOnce(context, suite, options, before);
      if (exit === 130) return exit;
      writeLine(io.stderr, 'Waiting for a change. Ctrl-C ends this.');
      if (!(await waitForChange(context, watcher))) return exit;
    } finally {
      watcher.close();
    }
  }
}

/** Everything is opened anew each time, so a changed configuration counts like a changed suite. */
async function runOnce(
  context: Context,
  suite: string,
  options: RunOptions,
  before: Map<string, RunView>,
): Promise<ExitCode> {
  const ink = lookOf(context).ink;
  try {
    const attempts = await withSession(context, {}, 'work', async (session) => {
      const done = await runEach(
        context,
        await openSources(context, session, suite, options),
        (source) => runOne(context, session, driverOf(context.io, session), source, options),
        (result) => {
          // Two agents of a pack may share a suite.
          const key = `${refOf(result.suite)} ${result.agent.agentId}`;
          tellResult(context, result, { ...options, delta: renderDelta(before.get(key), result, ink) });
          before.set(key, result);
        },
      );
      await writeOutputs(context, session, done, options);
      return done;
    });
    writeReports(context, attempts, options);
    return worstExit(attempts.map(exitOfAttempt));
  } catch (error) {
    return reportError(error, context.io);
  }
}

async function waitForChange({ io }: Context, watcher: FileWatcher): Promise<boolean> {
  const stop = new AbortController();
  const stopListening = io.onSignal(() => stop.abort());
  // Without a reader the next result would be lost.
  const stopped = AbortSignal.any([stop.signal, ...(io.stdout.closed ? [io.stdout.closed] : [])]);
  try {
    await watcher.changed(stopped);
    return true;
  } catch (error) {
    if (stopped.aborted) return false;
    throw error;
  } finally {
    stopListening();
  }
}
