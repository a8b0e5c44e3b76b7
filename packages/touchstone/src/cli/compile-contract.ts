import { dirname } from 'node:path';
import { canonicalJson } from '@touchstone/contract';
import type { EvalContract } from '@touchstone/contract/bodies';
import type { Config } from '../host/in-process.js';
import type { CompileOptions, DatasetLock, ProfiledAgent } from '../suites/index.js';
import { type FileRows, openNamedRows } from './contract-rows.js';
import type { Locked } from './dataset-lock.js';
import { localDataset, type OpenedDefinition } from './definition-file.js';
import type { Context } from './io.js';
import { withScratch } from './local.js';
import {
  type ContractFiles,
  datasetPointer,
  ELSEWHERE,
  type PlacedWarning,
  placeError,
  placeWarnings,
} from './place-issues.js';
import { displayPath } from './suite-source.js';

/** A contract without its tasks, of which there may be a million. */
export type ContractHead = Omit<EvalContract, 'suiteSha256' | 'tasks'>;

/** What became of one agent's profile; the texts themselves have gone to the sinks. */
export type CompiledContract = {
  readonly head: ContractHead;
  readonly suiteSha256: string;
  readonly tasks: number;
  readonly warnings: readonly PlacedWarning[];
  /** A dataset that was fetched and that nothing pins yet. */
  readonly locked?: Locked;
};

export type Sinks = {
  suite(piece: string): void | Promise<void>;
  contract(piece: string): void | Promise<void>;
  /** Hears of rows as they are read, again for each reading. */
  row?(): void;
};

export type Wish = {
  readonly agent: ProfiledAgent;
  readonly options: CompileOptions;
  /** Rows to use instead of the dataset that the profile names. */
  readonly rows?: FileRows;
  readonly lock?: DatasetLock;
  readonly allowUnpinned?: boolean;
};

/**
 * Compiles the profile of one agent piece by piece. Rows in a file at hand pass through, however many there are; what
 * lies elsewhere is fetched by the host, under its rules and within its limits.
 */
export async function compileContract(
  context: Context,
  config: Config,
  definition: OpenedDefinition,
  wish: Wish,
  sinks: Sinks,
): Promise<CompiledContract> {
  const files = await contractFiles(context, definition, wish.agent, wish.rows);
  try {
    const rows = wish.rows ?? (await openNamedRows(wish.agent, definition.path, wish.lock));
    const compiled = rows
      ? await writeFromRows(config, wish, rows, sinks)
      : await writeFetched(context, config, definition, wish, sinks);
    return { ...compiled, warnings: await placeWarnings(compiled.warnings, files) };
  } catch (error) {
    throw await placeError(error, files);
  }
}

/** What a person calls the files that a contract is compiled from. */
export async function contractFiles(
  { io }: Context,
  { path, file, text }: OpenedDefinition,
  agent: ProfiledAgent,
  rows?: FileRows,
): Promise<ContractFiles> {
  const named = rows ?? (await localDataset(agent, path).catch(() => undefined));
  return {
    definition: { file, text },
    dataset: named ? displayPath(named.path, io.cwd) : ELSEWHERE,
    ...(!rows && { datasetPointer: await datasetPointer(agent) }),
  };
}

async function writeFromRows(
  { evalSuite }: Config,
  { agent, options }: Wish,
  { rows, dataset, warnings }: FileRows,
  sinks: Sinks,
): Promise<CompiledContract> {
  const { compileToWriters } = await import('../suites/index.js');
  const maxTasks = evalSuite === false ? undefined : evalSuite.maxTasksPerSuite;
  const counted = async function* () {
    for await (const row of rows()) {
      sinks.row?.();
      yield row;
    }
  };
  let head: ContractHead | undefined;
  const written = await compileToWriters(
    { agent, rows: counted, dataset, options: { ...(maxTasks !== undefined && { maxTasks }), ...options } },
    {
      suite: (piece) => sinks.suite(piece),
      contract(piece) {
        head ??= headOf(piece);
        return sinks.contract(piece);
      },
    },
  );
  const { suiteSha256, tasks } = written;
  return {
    head: head as ContractHead,
    suiteSha256,
    tasks,
    warnings: [...written.warnings, ...warnings()],
  };
}

const TASKS = ',"tasks":{';

/** The first piece of a contract is everything before its tasks. */
const headOf = (piece: string): ContractHead =>
  JSON.parse(`${piece.slice(0, -TASKS.length)}}`) as ContractHead;

async function writeFetched(
  context: Context,
  config: Config,
  { path }: OpenedDefinition,
  { agent, options, lock, allowUnpinned }: Wish,
  sinks: Sinks,
): Promise<CompiledContract> {
  const request = {
    agent,
    from: { baseDir: dirname(path), trust: 'operator' as const },
    options,
    ...(lock && { lock }),
    ...(allowUnpinned && { allowUnpinned }),
  };
  const { document, pinned, suite, warnings, locked } = await withScratch(context, config, [], (touchstone) =>
    touchstone.compileProfile(request),
  );
  const { suiteSha256, tasks, ...head } = pinned.contract;
  await sinks.suite(canonicalJson(document));
  await sinks.contract(JSON.stringify({ ...head, tasks, suiteSha256 }));
  return { head, suiteSha256, tasks: suite.head.taskCount, warnings, ...(locked && { locked }) };
}
