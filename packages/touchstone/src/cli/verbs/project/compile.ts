import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { defined } from '@touchstone/protocol';
import { whole } from '@touchstone/sdk/view';
import type { Config, ProfileSinks } from '../../../app/index.js';
import type { DatasetLock, DefinitionAgent } from '../../../profiles/index.js';
import {
  type CompiledContract,
  type ContractOptions,
  compileContract,
  compileOptionsOf,
  NOWHERE,
} from '../../files/compile-contract.js';
import { lockDataset, openFileRows, readDatasetLock } from '../../files/dataset-file.js';
import {
  definitionForm,
  type OpenedDefinition,
  openDefinition,
  profiledAgents,
} from '../../files/definition-file.js';
import { type Draft, type DraftKind, openDraft } from '../../files/draft-file.js';
import { checkRegular, displayPath, targetOf } from '../../files/local-files.js';
import { ownWarnings } from '../../files/profile-source.js';
import { type Context, type ExitCode, firstGiven, roomOf, UsageError, writeResult } from '../../io.js';
import { readConfig } from '../../local.js';
import { type Compiled, compiledDocument, renderCompiled } from '../../render/compiled.js';
import { createStatusLine } from '../../render/progress.js';
import { progressScreen } from '../run/run-driver.js';
import { compileSuite } from './compile-suite.js';

type CompileVerbOptions = ContractOptions & {
  readonly out?: string;
  readonly agentId?: string;
  readonly rows?: string;
  readonly check?: boolean;
  readonly force?: boolean;
};

/** Makes suites and contracts of the profiles in a definition. The same input gives the same files, byte for byte. */
export async function compileCommand(
  context: Context,
  argument: string,
  options: CompileVerbOptions,
): Promise<ExitCode> {
  const { io } = context;
  if (isSuiteFile(argument, io.cwd)) return compileSuite(context, argument, suiteOptions(options));
  checkArgument(argument, options, io.cwd);
  const config = await readConfig(context);
  const definition = openDefinition(argument, io.cwd);
  const agents = profiledAgents(definition, options.onlyAgent);
  checkOne(definition, agents, options, io.cwd);
  const job = { context, config, definition, options, lock: readDatasetLock(definition.path, io.cwd) };
  const works: Work[] = [];
  try {
    for (const agent of agents) works.push(await compileOne(job, agent));
    const compiled = await placeAll(job, works);
    tell(context, definition, compiled);
    return 0;
  } catch (error) {
    if (error instanceof Stopped) return 130;
    throw error;
  } finally {
    for (const { drafts } of works) for (const { draft } of drafts) await draft.discard();
  }
}

const SUITE_FILE = /\.(?:suite|evals?)\.(?:json|ya?ml)$/i;

const isSuiteFile = (argument: string, cwd: string): boolean =>
  SUITE_FILE.test(argument) &&
  existsSync(resolve(cwd, argument)) &&
  definitionForm(argument, cwd) === undefined;

/** Options about profiles and datasets mean nothing for a suite file. */
function suiteOptions({ out, check, force, ...others }: CompileVerbOptions) {
  const [flag] = Object.entries(others).filter(([, value]) => value !== undefined);
  if (flag)
    throw new UsageError(
      `--${flag[0].replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is about agent definitions, and this is a suite file.`,
      'Leave it out.',
    );
  return defined({ out, check, force });
}

function checkArgument(argument: string, { check, out, force, rows }: CompileVerbOptions, cwd: string): void {
  const path = resolve(cwd, argument);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`There is no file ${argument}.`, 'Give an agent definition, JSON or YAML.');
  if (rows !== undefined && !statSync(resolve(cwd, rows), { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`There is no file ${rows}.`, 'Name a dataset with --rows: .jsonl, .json or .csv.');
  const flag = firstGiven({ '--out': out, '--force': force });
  if (check && flag !== undefined)
    throw new UsageError(`--check writes nothing, so ${flag} has no effect.`, 'Leave one of the two out.');
}

/** Options that are about one agent, of which there are several. */
function checkOne(
  { file }: OpenedDefinition,
  agents: readonly DefinitionAgent[],
  options: CompileVerbOptions,
  cwd: string,
): void {
  if (agents.length === 1) return;
  const { agentId, rows, out } = options;
  const flag = firstGiven({
    '--agent-id': agentId,
    '--rows': rows,
    '--out <file>': out === undefined ? undefined : placeOf(out, cwd).name,
  });
  if (flag === undefined) return;
  throw new UsageError(
    `${flag} is about one agent, and ${agents.length} of ${file} have a profile.`,
    `Choose one: ${agents.map(({ id }) => `--only-agent ${id}`).join(', ')}`,
  );
}

type Job = {
  readonly context: Context;
  readonly config: Config;
  readonly definition: OpenedDefinition;
  readonly options: CompileVerbOptions;
  readonly lock: DatasetLock | undefined;
};
type Work = {
  readonly agent: DefinitionAgent;
  readonly contract: CompiledContract;
  /** None when nothing is to be written. */
  readonly drafts: readonly { readonly holds: DraftKind; readonly draft: Draft }[];
};

/** The user has pressed Ctrl-C. */
class Stopped extends Error {}

async function compileOne(job: Job, agent: DefinitionAgent): Promise<Work> {
  const { context, config, definition, options, lock } = job;
  const { agentId, allowUnpinned, check, out } = options;
  const { cwd } = context.io;
  const { folder } = placeOf(out, cwd);
  const suite = openDraft(folder, agent.sha256, 'suite');
  const contract = openDraft(folder, agent.sha256, 'contract');
  const rows = options.rows === undefined ? undefined : openFileRows(resolve(cwd, options.rows));
  const request = { agent, options: compileOptionsOf(options, agent, agentId), rows, lock, allowUnpinned };
  const sinks: ProfileSinks = check ? NOWHERE : { suite: suite.write, contract: contract.write };
  try {
    const compiled = await withProgress(context, sinks, (counting) =>
      compileContract(context, config, definition, request, counting),
    );
    const drafts = [
      { holds: 'suite', draft: suite } as const,
      { holds: 'contract', draft: contract } as const,
    ];
    return { agent, contract: compiled, drafts: check ? [] : drafts };
  } catch (error) {
    await Promise.all([suite.discard(), contract.discard()]);
    throw error;
  }
}

type Counted = { readonly doing: 'reading' | 'writing'; readonly rows: number };

/** A million rows take a while: how many have been read is shown, and Ctrl-C leaves nothing half done. */
async function withProgress<T>(
  { io }: Context,
  sinks: ProfileSinks,
  use: (sinks: ProfileSinks) => Promise<T>,
): Promise<T> {
  const line = createStatusLine<Counted>(
    progressScreen(io),
    ({ doing, rows }) => `${doing} · ${whole(rows)} rows`,
  );
  let counted: Counted = { doing: 'reading', rows: 0 };
  let stopped = false;
  const stopListening = io.onSignal(() => {
    if (stopped) io.exit(130);
    stopped = true;
  });
  try {
    return await use({
      contract: sinks.contract,
      suite(piece) {
        if (counted.doing === 'reading') counted = { doing: 'writing', rows: 0 };
        return sinks.suite(piece);
      },
      row() {
        if (stopped) throw new Stopped();
        counted = { ...counted, rows: counted.rows + 1 };
        line.update(counted);
      },
    });
  } finally {
    line.clear();
    stopListening();
  }
}

/** A name that ends like that of a suite is one; any other is a folder. */
function placeOf(out: string | undefined, cwd: string): { readonly folder: string; readonly name?: string } {
  const path = resolve(cwd, out ?? '.');
  const isFolder =
    !path.endsWith('.json') || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
  return isFolder ? { folder: path } : { folder: dirname(path), name: basename(path) };
}

/** Both are looked at before either is put in its place: a suite beside the contract of another one is worth nothing. */
async function placeAll(job: Job, works: readonly Work[]): Promise<readonly Compiled[]> {
  const { context, definition, options } = job;
  const planned: (readonly [Work, readonly OutputFile[]])[] = [];
  for (const work of works) planned.push([work, await placesOf(job, work)]);
  for (const { draft, path, isSame } of planned.flatMap(([, places]) => places))
    if (!isSame) draft.place(path, options.force ?? false);
  for (const { contract } of works)
    if (contract.locked && !options.check) lockDataset(context, definition.path, contract.locked);
  return planned.map(([{ agent, contract }, places]) => ({ agentId: agent.id, contract, files: places }));
}

/** A file to write. */
type OutputFile = Compiled['files'][number] & { readonly draft: Draft; readonly path: string };

async function placesOf({ context, definition, options }: Job, work: Work): Promise<readonly OutputFile[]> {
  const { cwd } = context.io;
  const { suiteId } = work.contract.head;
  const { folder, name = `${suiteId.split('.').at(-1)}.suite.json` } = placeOf(options.out, cwd);
  const contract = `${name.replace(/(?:\.suite)?\.json$/, '')}.contract.json`;
  const places: OutputFile[] = [];
  for (const { holds, draft } of work.drafts) {
    const path = join(folder, holds === 'suite' ? name : contract);
    const file = displayPath(path, cwd);
    checkFree(path, file, definition);
    const isSame = await draft.isSameAs(path);
    if (existsSync(path) && !isSame && !options.force) throw isOther(file, work);
    places.push({ holds, draft, path, file, isSame });
  }
  return places;
}

function checkFree(path: string, shown: string, { files }: OpenedDefinition): void {
  const hint = 'Name another place with --out.';
  checkRegular(path, shown, hint);
  if (files.map((one) => targetOf(one)).includes(targetOf(path)))
    throw new UsageError(`${shown} is the definition itself.`, hint);
}

/** A version stands for one content: another under the same name would make two runs of it look alike. */
const isOther = (shown: string, { contract: { head } }: Work): UsageError =>
  new UsageError(
    `${shown} is there and holds something else than ${head.suiteId}@${head.suiteVersion} does now.`,
    'Raise "version" of the definition, name another place with --out, or add --force to overwrite it.',
    'conflict',
  );

function tell(context: Context, definition: OpenedDefinition, compiled: readonly Compiled[]): void {
  const facts = { file: definition.file, warnings: ownWarnings(definition), compiled };
  const width = roomOf(context.io.stdout);
  writeResult(context, compiledDocument(facts), ({ ink }) => renderCompiled(facts, { ink, width }));
}
