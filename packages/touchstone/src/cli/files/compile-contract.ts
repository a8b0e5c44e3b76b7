import { dirname } from 'node:path';
import { defined } from '@touchstone/protocol';
import {
  type Config,
  createProfileWriter,
  type ProfileSinks,
  systemClock,
  type WrittenProfile,
} from '../../app/index.js';
import type { CompileOptions, DatasetLock, DefinitionAgent } from '../../profiles/index.js';
import { type Context, UsageError } from '../io.js';
import type { FileRows } from './dataset-file.js';
import { localDataset, type OpenedDefinition } from './definition-file.js';
import { displayPath } from './local-files.js';
import {
  type ContractFiles,
  datasetPointer,
  ELSEWHERE,
  locateAll,
  type PlacedWarning,
  withPlaces,
} from './locate-issues.js';

/** What a definition is compiled with, as the parser hands it over. */
export type ContractOptions = Omit<
  CompileOptions,
  'name' | 'targetAgentId' | 'maxTasks' | 'maxBytes' | 'sample' | 'budget' | 'fenceTolerant'
> & {
  readonly sample?: number;
  readonly seed?: string;
  readonly budgetCaps?: boolean;
  readonly fencedJson?: boolean;
  /** The last part of the suite id. */
  readonly suiteName?: string;
  /** Use a remote dataset of a published agent although nothing pins it. */
  readonly allowUnpinned?: boolean;
  /** Of a definition with several agents, only this one. */
  readonly onlyAgent?: string;
};

/** The same under the names that the compiler knows. Without a seed, an agent always gets the same sample. */
export function compileOptionsOf(
  options: ContractOptions,
  agent: DefinitionAgent,
  targetAgentId?: string,
): CompileOptions {
  const { sample: count, seed, budgetCaps, fencedJson, suiteName } = options;
  if (seed !== undefined && count === undefined)
    throw new UsageError(
      '--seed chooses the rows of a sample, and there is no --sample.',
      'Say how many rows to take, e.g. --sample 500, or leave --seed out.',
    );
  const { sla, implicitReference, split, percentThresholds, approximateSimilarity, scope, org } = options;
  return {
    ...defined({ sla, implicitReference, split, percentThresholds, approximateSimilarity, scope, org }),
    ...defined({ budget: budgetCaps, fenceTolerant: fencedJson, name: suiteName, targetAgentId }),
    ...(count !== undefined && { sample: { count, seed: seed ?? agent.id } }),
  };
}

/** What became of one agent's profile; the texts themselves have gone to the sinks. */
export type CompiledContract = Omit<WrittenProfile, 'warnings'> & {
  readonly warnings: readonly PlacedWarning[];
};

type CompileRequest = {
  readonly agent: DefinitionAgent;
  readonly options: CompileOptions;
  /** Rows to use instead of the dataset that the profile names. */
  readonly rows?: FileRows | undefined;
  readonly lock: DatasetLock | undefined;
  readonly allowUnpinned?: boolean | undefined;
};

/** For compiling without writing. */
export const NOWHERE: ProfileSinks = { suite: () => undefined, contract: () => undefined };

/** Compiles the profile of one agent piece by piece: rows pass through, however many there are and wherever they lie. */
export async function compileContract(
  { io }: Context,
  config: Config,
  definition: OpenedDefinition,
  request: CompileRequest,
  sinks: ProfileSinks,
): Promise<CompiledContract> {
  const { agent, options, rows, lock, allowUnpinned } = request;
  const maxTasks = config.evalSuite === false ? undefined : config.evalSuite.maxTasksPerSuite;
  const env = io.env as NodeJS.ProcessEnv;
  const files = contractFiles(definition, agent, io.cwd, rows);
  const from = { baseDir: dirname(definition.path), trust: 'operator' as const };
  return withPlaces(files, async () => {
    const writer = createProfileWriter({ config, clock: systemClock, env, maxTasks });
    const more = defined({ opened: rows, lock, allowUnpinned });
    const written = await writer.write({ agent, options, from, ...more }, sinks);
    return { ...written, warnings: await locateAll(written.warnings, files) };
  });
}

/** What a person calls the files that a contract is compiled from. */
export function contractFiles(
  { path, file, text }: OpenedDefinition,
  agent: DefinitionAgent,
  cwd: string,
  rows?: FileRows,
): ContractFiles {
  const named = rows ?? datasetIfSound(agent, path);
  return {
    definition: { file, text },
    dataset: named ? displayPath(named.path, cwd) : ELSEWHERE,
    ...(!rows && { datasetPointer: datasetPointer(agent) }),
  };
}

/** What is wrong with the name of a dataset is said when it is read. */
function datasetIfSound(agent: DefinitionAgent, definition: string): ReturnType<typeof localDataset> {
  try {
    return localDataset(agent, definition);
  } catch {
    return undefined;
  }
}
