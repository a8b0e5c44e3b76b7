import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readAgentArgument } from './agent-choice.js';
import { exitOfAttempt, runEach, runOne } from './commands/run.js';
import { type ExitCode, worstExit } from './exit.js';
import { type Context, isColoured, writeLine } from './io.js';
import { readConfig, withLocal } from './local.js';
import { openSources, readPackArgument } from './pack-source.js';
import { renderDelta } from './render/delta.js';
import { createInk } from './render/ink.js';
import { tellResult, writeReports } from './report.js';
import { reportError } from './report-error.js';
import { type RunResult, refOf } from './result.js';
import type { RunOptions } from './run-options.js';
import { suiteFiles } from './suite-source.js';
import { type FileWatcher, type Watched, watchFiles } from './watch-files.js';

const CLEAR_SCREEN = '\u001b[2J\u001b[3J\u001b[H';

/** Runs, waits for a change, runs again, until Ctrl-C. A mistake in a file is told and waited out like any change. */
export async function watchRuns(context: Context, suite: string, options: RunOptions): Promise<ExitCode> {
  const { io } = context;
  const before = new Map<string, RunResult>();
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
  before: Map<string, RunResult>,
): Promise<ExitCode> {
  const ink = createInk(isColoured(context, context.io.stdout));
  try {
    const attempts = await withLocal(context, async (local) =>
      runEach(
        context,
        await openSources(context, local, suite, options.agent),
        (source) => runOne(context, local, source, options),
        (result) => {
          // Two agents of a pack may share a suite.
          const key = `${refOf(result.suite)} ${result.agent.agentId}`;
          tellResult(context, result, renderDelta(before.get(key), result, ink));
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
  try {
    await watcher.changed(stop.signal);
    return true;
  } catch (error) {
    if (stop.signal.aborted) return false;
    throw error;
  } finally {
    stopListening();
  }
}

async function watchedBy(context: Context, suite: string, options: RunOptions): Promise<Watched> {
  const { cwd } = context.io;
  const config = await readConfig(context).catch(() => undefined);
  const argument = options.agent === undefined ? undefined : readAgentArgument(options.agent, cwd);
  const modules = [
    ...(argument?.kind === 'module' ? [argument.path] : []),
    ...(config?.agents ?? []).flatMap(({ run }) =>
      typeof run.path === 'string' ? [resolve(config?.baseDir ?? cwd, run.path)] : [],
    ),
  ];
  const pack = await readPackArgument(suite, cwd).catch(() => undefined);
  const place = pack?.kind === 'place' ? pack.path : undefined;
  const folders = place === undefined ? [] : foldersBelow(place);
  const named = config?.file ?? (context.settings.config && resolve(cwd, context.settings.config));
  return {
    files: [...(await filesOf(suite, place, cwd)), ...modules, ...(named ? [named] : [])],
    folders: [...new Set([...modules.map(dirname), ...folders])],
    outputs: [options.junit, options.markdown].flatMap((file) => (file ? [resolve(cwd, file)] : [])),
  };
}

async function filesOf(suite: string, pack: string | undefined, cwd: string): Promise<readonly string[]> {
  if (pack !== undefined) return statSync(pack).isFile() ? [pack] : [];
  return (await suiteFiles(suite, cwd)) ?? [];
}

/** Every folder of a pack, as an archive of it would hold them: its prompts, schemas and suites are all in files. */
function foldersBelow(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [];
  const below = readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .flatMap(({ name }) => foldersBelow(join(path, name)));
  return [path, ...below];
}
