import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Digest } from '@touchstone/protocol';
import { plural } from '@touchstone/sdk/view';
import { suiteDocument } from '../../../suites/index.js';
import { checkSuiteFile } from '../../files/check-suite.js';
import { displayPath, placeFile, readText } from '../../files/local-files.js';
import { metaText } from '../../files/suite-meta.js';
import { openSuiteFile, type SuiteFile } from '../../files/suite-source.js';
import { type Context, type ExitCode, UsageError, writeResult } from '../../io.js';

type CompileSuiteOptions = {
  readonly out?: string;
  readonly check?: boolean;
  readonly force?: boolean;
};

type OutputFile = { readonly holds: 'suite' | 'meta'; readonly file: string; readonly isSame: boolean };

/** Writes the form of the wire that a suite file stands for, and beside it what its author says of the tasks. */
export async function compileSuite(
  context: Context,
  argument: string,
  options: CompileSuiteOptions,
): Promise<ExitCode> {
  const { cwd } = context.io;
  // A suite that no run would take is not written.
  await checkSuiteFile(resolve(cwd, argument), cwd);
  const source = openSuiteFile(resolve(cwd, argument), cwd);
  const files = options.check ? [] : writeFiles(source, argument, options, cwd);
  const { suiteId, version, digest, taskCount } = source.suite.head;
  const facts = { file: source.file, suiteId, version, digest, tasks: taskCount, files };
  writeResult(context, facts, () => renderFacts(facts));
  return 0;
}

function writeFiles(
  source: SuiteFile,
  argument: string,
  { out = '.', force = false }: CompileSuiteOptions,
  cwd: string,
): readonly OutputFile[] {
  const name = basename(argument).replace(/(?:\.(?:suite|evals?))?\.(?:json|ya?ml)$/i, '');
  const folder = resolve(cwd, out);
  const texts = [
    { holds: 'suite', path: join(folder, `${name}.suite.json`), text: suiteText(source) },
    { holds: 'meta', path: join(folder, `${name}.meta.json`), text: metaText(source) },
  ] as const;
  const files = texts.map((one) => ({ ...one, file: displayPath(one.path, cwd), isSame: holds(one) }));
  // Both are looked at before either is written.
  for (const { path, file, isSame } of files)
    if (!isSame) checkFree(path, file, resolve(cwd, argument), force);
  for (const { path, text, isSame } of files) if (!isSame) placeFile(path, text, force);
  return files.map(({ holds: kind, file, isSame }) => ({ holds: kind, file, isSame }));
}

const suiteText = ({ suite }: SuiteFile): string => `${JSON.stringify(suiteDocument(suite), null, 2)}\n`;

const holds = ({ path, text }: { readonly path: string; readonly text: string }): boolean =>
  existsSync(path) && readText(path, path) === text;

function checkFree(path: string, file: string, source: string, force: boolean): void {
  if (path === source)
    throw new UsageError(`${file} is the suite file itself.`, 'Name another folder with --out.');
  if (!existsSync(path) || force) return;
  const hint = 'Name another folder with --out, or add --force to overwrite it.';
  throw new UsageError(`${file} is there and holds something else.`, hint, 'conflict');
}

type Facts = {
  readonly file: string;
  readonly suiteId: string;
  readonly version: string;
  readonly digest: Digest;
  readonly tasks: number;
  readonly files: readonly OutputFile[];
};

function renderFacts({ suiteId, version, digest, tasks, files }: Facts): string {
  const written = files.map(({ file, isSame }) => `  ${isSame ? 'unchanged' : 'wrote    '} ${file}\n`);
  return `${suiteId}@${version} · ${plural(tasks, 'task')}\n${digest}\n${written.join('')}`;
}
