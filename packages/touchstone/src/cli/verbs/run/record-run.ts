import { extname, resolve } from 'node:path';
import type { Json } from '@touchstone/protocol';
import { type Client, readResults } from '@touchstone/sdk';
import { plural } from '@touchstone/sdk/view';
import { stringify } from 'yaml';
import type { Suite } from '../../../ports/index.js';
import { parseSuite, suiteDocument } from '../../../suites/index.js';
import { UsageError } from '../../exit.js';
import { placeFile } from '../../files/write-file.js';
import { type Context, writeLine } from '../../io.js';
import type { Local } from '../../local.js';
import { isSystemError } from '../../system-errors.js';
import { type Observed, type Recording, recordSuite } from './recorded-suite.js';
import type { RunView } from './result.js';

/** Writes what a finished live run saw as a suite that can be run without anything live. */
export async function recordRun(
  { io }: Context,
  client: Client,
  { touchstone, principal }: Local,
  result: RunView,
  name: string,
): Promise<RunView> {
  if (result.status !== 'completed') {
    writeLine(io.stderr, 'Nothing was recorded, because the run did not complete.');
    return result;
  }
  const suite = await touchstone.pinnedSuite(principal.owner, result.suite.digest);
  if (!suite)
    throw new UsageError(`The suite of the run is no longer kept here, so it cannot be written again.`);
  const recording = recordSuite(suite, await observe(client, result));
  place(resolve(io.cwd, name), name, suiteText(recording.suite, name));
  for (const line of linesOf(recording, name)) writeLine(io.stderr, line);
  return { ...result, recorded: name };
}

async function observe(client: Client, { runId }: RunView): Promise<ReadonlyMap<string, Observed>> {
  const seen = new Map<string, Observed>();
  for (const { taskId } of await readResults(client, runId)) {
    // Of several repeats the first is written down: a fixture has room for one.
    const first = (await client.task(runId, taskId)).invocations[0];
    if (first) seen.set(taskId, first as unknown as Observed);
  }
  return seen;
}

/** As a file of that name holds it. Reading it again gives the same suite. */
export function suiteText(suite: Suite, name: string): string {
  const document = suiteDocument(suite) as Json;
  parseSuite(document);
  if (extname(name).toLowerCase() === '.json') return `${JSON.stringify(document, null, 2)}\n`;
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
