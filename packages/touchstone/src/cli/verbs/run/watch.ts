import { refOf } from '@touchstone/sdk/view';
import { type ExitCode, worstExit } from '../../exit.js';
import { openSources } from '../../files/pack-source.js';
import { type Context, isColoured, writeLine } from '../../io.js';
import { renderDelta } from '../../render/run/delta.js';
import { createInk } from '../../render/text.js';
import { reportError } from '../../report-error.js';
import { withSession } from '../../session.js';
import { runEach, runOne } from './attempts.js';
import { tellResult, writeReports } from './report.js';
import { exitOfAttempt, type RunView } from './result.js';
import { driverOf } from './run-driver.js';
import type { RunOptions } from './run-options.js';
import { type FileWatcher, watchFiles } from './watch-files.js';
import { watchedBy } from './watch-paths.js';

const CLEAR_SCREEN = '\u001b[2J\u001b[3J\u001b[H';

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
      if (io.stdout.isTTY) io.stdout.write(CLEAR_SCREEN);
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
  const ink = createInk(isColoured(context, context.io.stdout));
  try {
    const attempts = await withSession(context, {}, 'work', async (session) =>
      runEach(
        context,
        await openSources(context, session, suite, options),
        (source) => runOne(context, session, driverOf(context.io, session), source, options),
        (result) => {
          // Two agents of a pack may share a suite.
          const key = `${refOf(result.suite)} ${result.agent.agentId}`;
          tellResult(context, result, options, renderDelta(before.get(key), result, ink));
          before.set(key, result);
        },
      ),
    );
    const results = attempts.flatMap((attempt) => ('result' in attempt ? [attempt.result] : []));
    const refused = attempts.flatMap((attempt) => ('refused' in attempt ? [attempt.refused] : []));
    writeReports(context, results, refused, options);
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
