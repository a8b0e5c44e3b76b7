import { basename } from 'node:path';
import { defined, type Json, type JsonObject } from '@touchstone/protocol';
import {
  assemble,
  createItems,
  IMPORT_FORMATS,
  type ImportOptions,
  type ImportOutput,
  summaryOf,
} from '../../../importers/index.js';
import { taskSlug } from '../../../suites/index.js';
import { type Context, type ExitCode, UsageError, writeLine, writeResult } from '../../io.js';
import { shellWord } from '../../render/shell.js';
import { programToType } from '../../session.js';
import { formatOf, type ImportChoice } from './import-format.js';
import { findTroubles } from './import-troubles.js';
import { openNamed, openSource } from './source-files.js';
import { placeImported } from './written-files.js';

type ImportVerbOptions = {
  readonly out: string;
  readonly id?: string;
  readonly map?: string;
  readonly expect?: string;
  readonly class?: string;
  readonly eval?: string;
  readonly scorer?: string;
  readonly limit?: number;
  readonly where?: readonly string[];
  readonly strict?: boolean;
  readonly force?: boolean;
};

/** Makes a suite of the files of another tool, and says of everything that it lost where that stands. */
export async function importCommand(
  context: Context,
  typed: readonly string[],
  options: ImportVerbOptions,
): Promise<ExitCode> {
  const { io } = context;
  const choice = formatOf(typed, io.cwd);
  const imported = await readSources(choice, optionsFor(choice, options, io.cwd));
  if (imported.counts.tests.carried === 0) throw nothingLeft(imported);
  const written = placeImported(imported, {
    folder: options.out,
    cwd: io.cwd,
    force: options.force ?? false,
  });
  tell(context, imported, written);
  return options.strict && imported.counts.lost > 0 ? 1 : 0;
}

async function readSources({ format, files }: ImportChoice, options: ImportOptions): Promise<ImportOutput> {
  const items = createItems();
  const entry = IMPORT_FORMATS[format];
  if (!entry) throw new UsageError(`There is no format ${format}.`);
  const draft = await entry.read({ files, options, items, open: openNamed });
  return assemble(draft, { format, suiteId: options.suiteId, items, findTroubles });
}

const SUITE_ID = /^[a-z0-9.-]+\.evals\.[a-z0-9-]+$/;

/** What is typed as importers read it. An option that means nothing to the format is a mistake. */
function optionsFor({ format, files }: ImportChoice, typed: ImportVerbOptions, cwd: string): ImportOptions {
  const { id, map, expect, scorer, limit, where } = typed;
  if (id !== undefined && !SUITE_ID.test(id))
    throw new UsageError(`${id} is no suite id.`, 'Expected an id such as acme.shop.evals.desk.');
  const own = defined({
    map: map === undefined ? undefined : readMap(map),
    expect,
    class: typed.class,
    evaluation: typed.eval === undefined ? undefined : openSource(typed.eval, cwd),
    scorer,
    limit,
    where,
  });
  const known = IMPORT_FORMATS[format]?.options ?? [];
  for (const name of Object.keys(own) as (keyof typeof own)[])
    if (!known.includes(name)) throw meaningless(name, format);
  return { suiteId: id ?? `local.imported.evals.${nameOf(files[0]?.path ?? '')}`, ...own };
}

const nameOf = (path: string): string =>
  taskSlug(basename(path).replace(/(?:\.(?:evalset|test|eval|suite))?\.[a-z]+$/i, '')) || 'imported';

const FLAGS: { readonly [option: string]: string } = { evaluation: '--eval' };

const meaningless = (option: string, format: string): UsageError =>
  new UsageError(`${FLAGS[option] ?? `--${option}`} means nothing for ${format}.`, 'Leave it out.');

const MEMBERS = ['input', 'expected', 'id', 'tags', 'context'];

function readMap(text: string): NonNullable<ImportOptions['map']> {
  const pairs = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, Math.max(0, at)).trim(), pair.slice(at + 1).trim()] as const;
  });
  const wrong = pairs.find(([name, column]) => !MEMBERS.includes(name) || column === '');
  if (wrong)
    throw new UsageError(
      'Expected --map to give columns or pointers to input, expected, id, tags or context.',
      'For instance --map input=question,expected=/answer/text.',
    );
  return Object.fromEntries(pairs);
}

const nothingLeft = ({ items, counts }: ImportOutput): UsageError => {
  const first = items.find(({ severity }) => severity === 'lost');
  const why = first ? ` ${first.file}:${first.line}: ${first.what}.` : '';
  return new UsageError(
    `None of ${counts.tests.all} tests could be carried over.${why}`,
    'Nothing was written.',
  );
};

/** Several agents cannot be chosen from without a word, and a source without agents leaves the choice to its reader. */
function agentOption({ config }: ImportOutput): string {
  const [first] = objectsOf(config?.agents);
  return typeof first?.agentId === 'string' ? ` --agent ${first.agentId}` : ' --agent <agent>';
}

const objectsOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonObject[]) : [];

function tell(context: Context, imported: ImportOutput, written: ReturnType<typeof placeImported>): void {
  const { io } = context;
  const { format, counts, items, suite, recorded } = imported;
  const { suite: suiteFile, config, files } = written;
  const withConfig = config === undefined ? '' : ` --config ${shellWord(config)}`;
  const answers = recorded.length > 0 ? ` --answers ${shellWord(written.recorded ?? '')}` : '';
  const agent = answers === '' ? agentOption(imported) : '';
  const next = `${programToType(io)} run ${shellWord(suiteFile)}${withConfig}${answers}${agent}`;
  writeResult(
    context,
    { format, suiteId: suite.suiteId, files, next, ...counts, items },
    () => `${files.map((file) => `wrote ${file}\n`).join('')}\nNow run it:\n  ${next}\n`,
  );
  writeLine(io.stderr, summaryOf(counts));
}
