import { extname, resolve } from 'node:path';
import { HOST_OWNER, type Json, type Owner, type TaskId } from '@touchstone/protocol';
import type { LocalTouchstone } from '../../../app/index.js';
import type { Suite } from '../../../ports/index.js';
import { placeFile } from '../../files/write-file.js';
import { type EvalRun, findRun } from '../../find-run.js';
import { type Context, writeLine } from '../../io.js';
import { LOCAL_OWNER, type Local } from '../../local.js';
import { plural } from '../../render/units.js';
import { isSystemError } from '../../system-errors.js';
import { UsageError } from '../../usage-error.js';
import { type Observed, type Recording, recordSuite } from './recorded-suite.js';
import type { RunView } from './result.js';

/** Writes what a finished live run saw as a suite that can be run without anything live. */
export async function recordRun(
  { io }: Context,
  { touchstone }: Local,
  result: RunView,
  name: string,
): Promise<RunView> {
  if (result.status !== 'completed') {
    writeLine(io.stderr, 'Nothing was recorded, because the run did not complete.');
    return result;
  }
  const run = (await findRun(touchstone, result.runId)) as EvalRun;
  const suite = await suiteOf(touchstone, run);
  const recording = recordSuite(suite, await observe(touchstone, run, suite));
  place(resolve(io.cwd, name), name, await suiteText(recording.suite, name));
  for (const line of linesOf(recording, name)) writeLine(io.stderr, line);
  return { ...result, recorded: name };
}

async function suiteOf(touchstone: LocalTouchstone, { plan }: EvalRun): Promise<Suite> {
  for (const owner of [LOCAL_OWNER, HOST_OWNER] satisfies Owner[]) {
    const head = await touchstone.store.suites.byDigest(owner, plan.suite.digest);
    if (head) return touchstone.readSuite({ head, owner });
  }
  throw new UsageError(`The suite of the run is no longer kept here, so it cannot be written again.`);
}

async function observe(
  touchstone: LocalTouchstone,
  { runId, plan }: EvalRun,
  { tasks }: Suite,
): Promise<ReadonlyMap<string, Observed>> {
  const ids: readonly TaskId[] = plan.ordinals
    ? plan.ordinals.flatMap((ordinal) => tasks[ordinal]?.taskId ?? [])
    : tasks.map(({ taskId }) => taskId);
  const seen = new Map<string, Observed>();
  for (const taskId of ids) {
    // Of several repeats the first is written down: a fixture has room for one.
    const first = (await touchstone.viewTask(LOCAL_OWNER, runId, taskId))?.invocations[0];
    if (first) seen.set(taskId, first);
  }
  return seen;
}

/** As a file of that name holds it. Reading it again gives the same suite. */
export async function suiteText(suite: Suite, name: string): Promise<string> {
  const { parseSuite, suiteDocument } = await import('../../../suites/index.js');
  const document = suiteDocument(suite) as Json;
  parseSuite(document);
  if (extname(name).toLowerCase() === '.json') return `${JSON.stringify(document, null, 2)}\n`;
  const { stringify } = await import('yaml');
  return stringify(document, { lineWidth: 120, aliasDuplicateObjects: false });
}

function place(file: string, name: string, text: string): void {
  try {
    placeFile(file, text);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'EEXIST') throw error;
    throw new UsageError(
      `${name} appeared while the run was at work, and is left as it is; nothing was recorded.`,
      'Run it again with another --record file.',
    );
  }
}

function linesOf({ tasks, responses, mixed, suite: { head } }: Recording, name: string): readonly string[] {
  return [
    `Recorded ${plural(responses, 'tool response')} of ${plural(tasks, 'task')} in ${name}, as ${head.suiteId}@${head.version}.`,
    ...mixed.map(
      ({ taskId, tool }) =>
        `warning: task ${taskId}: some calls of ${tool} failed, which a fixture cannot say. A replay sees only those that worked.`,
    ),
  ];
}
