import { resolve } from 'node:path';
import {
  defined,
  HOST_OWNER,
  HostError,
  type Json,
  type JsonObject,
  type Owner,
  validationError,
} from '@touchstone/protocol';
import type { EvalContract, PinnedContract } from '@touchstone/protocol/bodies';
import { checkBounded, checkForeignSchema, createSchemaCheck } from '../../agents/index.js';
import type { Names } from '../../net/index.js';
import type { Checker, Clock, Store, Suite, SuiteHead } from '../../ports/index.js';
import {
  type CompileInput,
  type CompileSummary,
  compileProfile,
  compileToWriters,
  completeDatasetConfig,
  createDatasetSource,
  type ProfileWarning,
  type Sinks,
} from '../../profiles/index.js';
import { digestOf, parseSuite } from '../../suites/index.js';
import type { Config } from '../config/config.js';
import { atDataset, type Data, type Locking, openData, type ProfileRequest } from './profile-rows.js';
import { withTenantSchemas } from './schema-budget.js';
import type { SuiteCatalogue } from './suite-catalogue.js';

export type { ProfileRequest } from './profile-rows.js';

export type CompiledProfile = {
  readonly suite: Suite;
  /** The suite as it is written down. */
  readonly document: JsonObject;
  readonly pinned: PinnedContract;
  readonly warnings: readonly ProfileWarning[];
} & Locking;

/** What became of a profile whose suite and contract went to sinks. */
export type WrittenProfile = CompileSummary & Locking;

/** Takes suite and contract piece by piece, and may hear of rows as they are read, again for each reading. */
export type ProfileSinks = Sinks & { row?(): void };

/** Writes profiles of any length, wherever their rows lie, and keeps nothing. */
type ProfileWriter = { write(request: ProfileRequest, sinks: ProfileSinks): Promise<WrittenProfile> };

export type Profiles = ProfileWriter & {
  compile(request: ProfileRequest): Promise<CompiledProfile>;
  /** Suite and contract become an owner's. A version that stands for something else is refused. */
  install(owner: Owner, pair: Pair): Promise<'created' | 'same'>;
  /** For a developer's own file, edited between runs, and the envelope beside it. */
  replace(owner: Owner, pair: Pair & { readonly envelope?: string }): Promise<void>;
  /** The same for a suite that has no contract, or has one no longer. */
  replacePlain(owner: Owner, suite: Suite, envelope?: string): Promise<void>;
};

type Pair = Pick<CompiledProfile, 'suite' | 'pinned'>;

type WriterParts = {
  readonly config: Config;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  /** How names in URLs of tenants are looked up. */
  readonly names?: Names;
  /** More tasks than this are not taken. */
  readonly maxTasks: number | undefined;
  /** Makes the checks of one request; without it they are made at once. */
  readonly checkerFor?: (owner: Owner) => Checker;
};
type ProfileParts = WriterParts & {
  readonly store: Store;
  readonly suites: Pick<SuiteCatalogue, 'replace'>;
};

export function createProfiles(parts: ProfileParts): Profiles {
  const { store, clock, suites } = parts;
  const open = createOpening(parts);
  const attach = (owner: Owner, { suite, pinned }: Pair) =>
    store.suites.attach(owner, suite.head.digest, pinned, clock.now());
  return {
    ...createProfileWriter(parts),
    compile: (request) => open(request, compileWhole),
    async install(owner, compiled) {
      checkPair(compiled);
      const { suite, pinned } = compiled;
      const { suiteId, version, digest } = suite.head;
      const [own, hosts] = await Promise.all(
        [owner, HOST_OWNER].map((holder) => store.suites.get(holder, suiteId, version)),
      );
      for (const standing of [own, hosts]) checkTarget(compiled, standing);
      if ((own ?? hosts ?? suite.head).digest !== digest) throw otherContent(compiled);
      const isHosts = hosts?.digest === digest;
      const known = await store.suites.contractOf(isHosts ? HOST_OWNER : owner, digest);
      if (known && known.digest !== pinned.digest) throw otherContract(compiled);
      if (known && (own || isHosts)) return 'same';
      if (isHosts) throw plainHere(compiled);
      // Another process may have installed it first: the write is compared with what is stored then.
      if (await store.suites.putOnce(owner, suite, pinned, clock.now())) return 'created';
      throw otherContract(compiled);
    },
    async replace(owner, compiled) {
      checkPair(compiled);
      await suites.replace(owner, compiled.suite, compiled.envelope);
      await attach(owner, compiled);
    },
    async replacePlain(owner, suite, envelope) {
      await suites.replace(owner, suite, envelope);
      await store.suites.detach(owner, suite.head.digest);
    },
  };
}

/** For commands that only write files: no store is opened. */
export function createProfileWriter(parts: WriterParts): ProfileWriter {
  const open = createOpening(parts);
  return {
    write: (request, sinks) =>
      open(request, async (input, data) => {
        const written = await compileToWriters(hearingRows(input, sinks), sinks);
        return { ...written, warnings: [...written.warnings, ...data.warnings()], ...data.locked() };
      }),
  };
}

const MIB = 1024 * 1024;
/** How much of a suite and its contract is held in memory at once: for tenants less, so that several fit side by side. */
const MOST_HELD = { tenant: 64 * MIB, operator: 256 * MIB } as const;

type Opening = <T>(
  request: ProfileRequest,
  use: (input: CompileInput, data: Data) => Promise<T>,
) => Promise<T>;

/** Finds the rows of a request, wherever they lie, and lets go of them when they have been used. */
function createOpening({ config, clock, env, names, maxTasks, checkerFor }: WriterParts): Opening {
  const datasets = completeDatasetConfig(config.datasets, (path) => resolve(config.baseDir, path));
  const source = createDatasetSource(defined({ config: datasets, egress: config.egress, env, clock, names }));
  const own = { issues: checkForeignSchema, check: createSchemaCheck(checkBounded) };
  return async (request, use) => {
    try {
      const data = await openData(source, request);
      const { agent, options, from } = request;
      const limits = { ...(maxTasks !== undefined && { maxTasks }), maxBytes: MOST_HELD[from.trust] };
      const input = { agent, ...rowsOf(data), options: { ...limits, ...options } };
      const check = (request.owner && checkerFor?.(request.owner)) ?? checkBounded;
      const isOwn = from.trust === 'operator';
      try {
        return await use(isOwn ? { ...input, schemas: own } : withTenantSchemas(input, check, clock), data);
      } finally {
        await data.close();
      }
    } catch (error) {
      throw request.rows ? error : atDataset(error, request.agent);
    }
  };
}

const rowsOf = ({ rows, dataset }: Data): Pick<CompileInput, 'rows' | 'dataset'> => ({
  ...(rows && { rows }),
  ...(dataset && { dataset }),
});

async function compileWhole(input: CompileInput, data: Data): Promise<CompiledProfile> {
  const compiled = await compileProfile(input);
  const document = compiled.suite as unknown as JsonObject;
  return {
    suite: parseSuite(document),
    document,
    pinned: pinContract(compiled.contract),
    warnings: [...compiled.warnings, ...data.warnings()],
    ...data.locked(),
  };
}

function hearingRows(input: CompileInput, { row: hear }: ProfileSinks): CompileInput {
  const { rows } = input;
  if (!rows || !hear) return input;
  return {
    ...input,
    async *rows() {
      for await (const row of rows()) {
        hear();
        yield row;
      }
    },
  };
}

/** A contract under its own digest. */
export const pinContract = (contract: EvalContract): PinnedContract => ({
  contract,
  digest: digestOf(contract as unknown as Json),
});

/** A contract says how the tasks of one suite are scored; beside any other it would score them wrongly. */
function checkPair({ suite, pinned }: Pair): void {
  const { suiteId, suiteVersion, suiteSha256 } = pinned.contract;
  if (suite.head.digest === `sha256:${suiteSha256}`) return;
  throw validationError(
    [
      {
        pointer: '/contract/suiteSha256',
        message: `The contract was compiled for another content of ${suiteId}@${suiteVersion} than this suite has. Compile the definition again.`,
      },
    ],
    { code: 'contract_mismatch' },
  );
}

const refOf = ({ suite: { head } }: Pair): string => `${head.suiteId}@${head.version}`;

/** A suite is meant for one agent. That another one is to be held to the same contract is no change of it. */
function checkTarget(pair: Pair, present: SuiteHead | undefined): void {
  const wanted = pair.suite.head.targetAgentId;
  const known = present?.targetAgentId;
  if (known === undefined || known === wanted) return;
  const message = `Suite ${refOf(pair)} is installed for agent ${known}, and this one is for ${wanted}. Each agent that is held to a contract needs a suite of its own: name another one with "suiteName".`;
  throw new HostError('conflict', message, { code: 'other_agent' });
}

const otherContent = (pair: Pair): HostError =>
  new HostError(
    'conflict',
    `Suite ${refOf(pair)} is installed with other content. Versions do not change: raise the version of the agent.`,
  );

const otherContract = (pair: Pair): HostError =>
  new HostError(
    'conflict',
    `Suite ${refOf(pair)} is installed with another contract. Versions do not change: raise the version of the agent.`,
  );

const plainHere = (pair: Pair): HostError =>
  new HostError(
    'conflict',
    `Suite ${refOf(pair)} belongs to the host, which has no contract for it. Give yours a name of its own with "suiteName".`,
  );
