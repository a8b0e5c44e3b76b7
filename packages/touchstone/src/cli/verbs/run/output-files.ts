import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined } from '@touchstone/protocol';
import { type Matrix, MOST_FILE_TASKS, readPageFile, readRows, whole } from '@touchstone/sdk/view';
import { FILE_FORMATS, type FileRun, type PagePart } from '../../../exporters/index.js';
import { openSuiteFile, type SuiteFile } from '../../files/suite-source.js';
import type { Context } from '../../io.js';
import { originOf } from '../../origin.js';
import { exportedRun } from '../../render/run/document.js';
import type { Session } from '../../session.js';
import { UnwritableError } from '../../system-errors.js';
import { packageVersion, readPagePart } from '../../version.js';
import { formatOf, writeReport } from './report.js';
import { type Attempt, isRun, type RunView, withoutBodies } from './result.js';
import type { RunOptions } from './run-options.js';

type OutputOptions = Pick<RunOptions, 'output' | 'bodies'>;

/** Writes every file of `--output`, from what the host tells of each run. A page that cannot be made takes no other file along. */
export async function writeOutputs(
  context: Context,
  session: Session,
  attempts: readonly Attempt[],
  { output = [], bodies = false }: OutputOptions,
  { matrices = [] }: { readonly matrices?: readonly Matrix[] } = {},
): Promise<void> {
  if (output.length === 0) return;
  const runs: TaggedRun[] = [];
  for (const attempt of attempts.filter(isRun))
    runs.push(await fileRun(context, session, attempt, output, bodies));
  const options = { version: packageVersion() };
  const write = (name: string, more: object = {}): void =>
    writeReport(
      context.io.cwd,
      '--output',
      name,
      FILE_FORMATS[formatOf(name)]?.(runs, { ...options, ...more }) ?? '',
    );
  const [pages, others] = [output.filter(isPage), output.filter((name) => !isPage(name))];
  for (const name of others) write(name);
  if (pages.length === 0) return;
  const page = await readPage(session, runs, { bodies, matrices }).catch((error: unknown) => {
    throw new UnwritableError(`--output ${pages[0]}`, error);
  });
  for (const name of pages) write(name, { page });
}

const isPage = (name: string): boolean => formatOf(name) === '.html';

/** With the tags of its tasks, which are no part of a suite as hosts know it. */
type TaggedRun = FileRun & { readonly tagsOf: (taskId: string) => readonly string[] };

type PageOptions = { readonly bodies: boolean; readonly matrices: readonly Matrix[] };

/** The web page with the data of the runs. */
async function readPage({ client }: Session, runs: readonly TaggedRun[], { bodies, matrices }: PageOptions) {
  const largest = Math.max(...runs.map(({ run }) => run.counts.selected));
  if (largest > MOST_FILE_TASKS)
    throw new Error(
      `a page holds ${whole(MOST_FILE_TASKS)} tasks at most, and the run has ${whole(largest)}; write them with --output results.jsonl`,
    );
  const variants = matrices.flatMap((matrix) => matrix.variants);
  const data = await readPageFile(
    client,
    runs.map(({ run }) => run.runId),
    {
      version: packageVersion(),
      bodies,
      nameOf: (runId) => variants.find((variant) => variant.runId === runId)?.name,
      tagsOf: (runId, taskId) => runs.find(({ run }) => run.runId === runId)?.tagsOf(taskId) ?? [],
    },
  );
  return { style: pagePart(readPagePart('file.css')), script: pagePart(readPagePart('file.js')), data };
}

const pagePart = (text: string): PagePart => ({
  text,
  sha256: createHash('sha256').update(text).digest('base64'),
});

async function fileRun(
  { io }: Context,
  session: Session,
  { result, source }: Extract<Attempt, { result: RunView }>,
  output: readonly string[],
  bodies: boolean,
): Promise<TaggedRun> {
  const file = source?.kind === 'file' ? source : await originalFile(session, result, io.cwd);
  const tagsOf = (taskId: string): readonly string[] => file?.notes.get(taskId)?.tags ?? [];
  const rows = output.every(isPage) ? [] : await readRows(session.client, result, { bodies, tagsOf });
  const places =
    file && output.some((name) => formatOf(name) === '.sarif')
      ? { file: file.file, lines: file.lines() }
      : undefined;
  return { run: exportedRun(withoutBodies(result)), rows, tagsOf, ...defined({ places }) };
}

/** The file that a run of this machine was started from, when it is still there and the same. */
async function originalFile(
  { client, local }: Session,
  { runId, suite }: RunView,
  cwd: string,
): Promise<SuiteFile | undefined> {
  const { suite: name } = local ? originOf(await client.runs.get(runId)) : {};
  if (name === undefined || !existsSync(resolve(cwd, name))) return undefined;
  try {
    const file = openSuiteFile(resolve(cwd, name), cwd);
    return file.suite.head.digest === suite.digest ? file : undefined;
  } catch {
    // It has been edited and is no suite at the moment. Tags and lines are an addition.
    return undefined;
  }
}
