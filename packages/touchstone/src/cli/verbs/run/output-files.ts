import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined } from '@touchstone/protocol';
import { type Matrix, readRows } from '@touchstone/sdk/view';
import { FILE_FORMATS, type FileRun, type PagePart } from '../../../exporters/index.js';
import { openSuiteFile, type SuiteFile } from '../../files/suite-source.js';
import type { Context } from '../../io.js';
import { originOf } from '../../origin.js';
import { exportedRun } from '../../render/run/document.js';
import type { Session } from '../../session.js';
import { packageVersion, readAsset } from '../../version.js';
import { formatOf, writeReport } from './report.js';
import { type Attempt, isRun, type RunView, withoutBodies } from './result.js';
import type { RunOptions } from './run-options.js';

type OutputOptions = Pick<RunOptions, 'output' | 'bodies'>;

/** Writes every file of `--output`, from what the host tells of each run. */
export async function writeOutputs(
  context: Context,
  session: Session,
  attempts: readonly Attempt[],
  { output = [], bodies = false }: OutputOptions,
  { matrices = [] }: { readonly matrices?: readonly Matrix[] } = {},
): Promise<void> {
  if (output.length === 0) return;
  const runs: FileRun[] = [];
  for (const attempt of attempts.filter(isRun))
    runs.push(await fileRun(context, session, attempt, output, bodies));
  const page = { style: pagePart(readAsset('report/report.css')), script: readScript() };
  const options = { version: packageVersion(), matrices, page };
  for (const name of output)
    writeReport(context.io.cwd, '--output', name, FILE_FORMATS[formatOf(name)]?.(runs, options) ?? '');
}

/** In the order in which they rely on each other. */
const SCRIPTS = ['elements.js', 'diff.js', 'summary.js', 'detail.js', 'list.js', 'main.js'];

/** The parts of the script are modules, so that editors and tests can read them; in a page they are one script. */
function readScript(): PagePart {
  const parts = SCRIPTS.map((name) => readAsset(`report/${name}`))
    .join('\n')
    .replaceAll(/^import [^;]*;\n/gm, '')
    .replaceAll(/^export /gm, '');
  return pagePart(`(() => {\n'use strict';\n${parts}})();\n`);
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
): Promise<FileRun> {
  const file = source?.kind === 'file' ? source : await originalFile(session, result, io.cwd);
  const tagsOf = (taskId: string): readonly string[] => file?.notes.get(taskId)?.tags ?? [];
  const rows = await readRows(session.client, result, { bodies, tagsOf });
  const places =
    file && output.some((name) => formatOf(name) === '.sarif')
      ? { file: file.file, lines: file.lines() }
      : undefined;
  return { run: exportedRun(withoutBodies(result)), rows, ...defined({ places }) };
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
