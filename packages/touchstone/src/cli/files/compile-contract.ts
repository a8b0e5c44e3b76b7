import { dirname } from 'node:path';
import type { Config, ProfileSinks, WrittenProfile } from '../../app/index.js';
import type { CompileOptions, DatasetLock, DefinitionAgent } from '../../profiles/index.js';
import type { Context } from '../io.js';
import type { FileRows } from './contract-rows.js';
import { localDataset, type OpenedDefinition } from './definition-file.js';
import { displayPath } from './local-files.js';
import {
  type ContractFiles,
  datasetPointer,
  ELSEWHERE,
  type PlacedWarning,
  placeError,
  placeWarnings,
} from './locate-issues.js';

/** What became of one agent's profile; the texts themselves have gone to the sinks. */
export type CompiledContract = Omit<WrittenProfile, 'warnings'> & {
  readonly warnings: readonly PlacedWarning[];
};

export type Sinks = ProfileSinks;

export type Wish = {
  readonly agent: DefinitionAgent;
  readonly options: CompileOptions;
  /** Rows to use instead of the dataset that the profile names. */
  readonly rows?: FileRows;
  readonly lock?: DatasetLock;
  readonly allowUnpinned?: boolean;
};

/** Compiles the profile of one agent piece by piece: rows pass through, however many there are and wherever they lie. */
export async function compileContract(
  context: Context,
  config: Config,
  definition: OpenedDefinition,
  wish: Wish,
  sinks: Sinks,
): Promise<CompiledContract> {
  const { createProfileWriter, systemClock } = await import('../../app/index.js');
  const { agent, options, rows, lock, allowUnpinned } = wish;
  const maxTasks = config.evalSuite === false ? undefined : config.evalSuite.maxTasksPerSuite;
  const env = context.io.env as NodeJS.ProcessEnv;
  const files = await contractFiles(context, definition, agent, rows);
  const request = {
    agent,
    options,
    from: { baseDir: dirname(definition.path), trust: 'operator' as const },
    ...(rows && { opened: rows }),
    ...(lock && { lock }),
    ...(allowUnpinned && { allowUnpinned }),
  };
  try {
    const writer = createProfileWriter({ config, clock: systemClock, env, maxTasks });
    const written = await writer.write(request, sinks);
    return { ...written, warnings: await placeWarnings(written.warnings, files) };
  } catch (error) {
    throw await placeError(error, files);
  }
}

/** What a person calls the files that a contract is compiled from. */
export async function contractFiles(
  { io }: Context,
  { path, file, text }: OpenedDefinition,
  agent: DefinitionAgent,
  rows?: FileRows,
): Promise<ContractFiles> {
  const named = rows ?? (await localDataset(agent, path).catch(() => undefined));
  return {
    definition: { file, text },
    dataset: named ? displayPath(named.path, io.cwd) : ELSEWHERE,
    ...(!rows && { datasetPointer: datasetPointer(agent) }),
  };
}
