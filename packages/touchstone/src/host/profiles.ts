import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import {
  asId,
  canonicalJson,
  type Digest,
  HostError,
  type Issue,
  isHostError,
  type Json,
  type JsonObject,
  type Owner,
  validationError,
} from '@touchstone/contract';
import type { EvalContract, PinnedContract } from '@touchstone/contract/bodies';
import type { Clock, Store, Suite } from '@touchstone/contract/ports';
import {
  type CompileOptions,
  compileProfile,
  type DatasetLock,
  decidePin,
  normaliseRows,
  type ProfiledAgent,
  type ProfileWarning,
  parseDatasetUri,
  parseSuite,
  profilePointer,
} from '../suites/index.js';
import type { Config } from './config.js';
import { openRows } from './dataset-rows.js';
import { completeDatasetConfig } from './datasets/config.js';
import { createDatasetSource, type OpenOptions } from './datasets/source.js';
import type { SuiteShelf } from './suite-shelf.js';

/** An agent with its test contract, and what it is to be compiled with. */
export type ProfileRequest = {
  readonly agent: ProfiledAgent;
  /** Rows that were handed over, instead of the dataset that the profile names. */
  readonly rows?: readonly unknown[];
  readonly from: OpenOptions;
  readonly lock?: DatasetLock;
  /** Use a remote dataset of a published agent although nothing pins it. */
  readonly allowUnpinned?: boolean;
  readonly options?: CompileOptions;
};

export type CompiledProfile = {
  readonly suite: Suite;
  /** The suite as it is written down. */
  readonly document: JsonObject;
  readonly pinned: PinnedContract;
  readonly warnings: readonly ProfileWarning[];
  /** What the dataset was, for the lock file. */
  readonly locked?: { readonly uri: string; readonly sha256: string; readonly bytes: number };
};

export type ProfileDesk = {
  compile(request: ProfileRequest): Promise<CompiledProfile>;
  /** Suite and contract become an owner's. A version that stands for something else is refused. */
  install(owner: Owner, compiled: CompiledProfile): Promise<'created' | 'same'>;
  /** For a developer's own file, edited between runs. */
  replace(owner: Owner, compiled: CompiledProfile): Promise<void>;
};

type DeskParts = {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly shelf: Pick<SuiteShelf, 'install' | 'replace'>;
  /** More tasks than this are not taken. */
  readonly maxTasks: number | undefined;
};

export function createProfileDesk({ config, store, clock, env, shelf, maxTasks }: DeskParts): ProfileDesk {
  const datasets = completeDatasetConfig(config.datasets, (path) => resolve(config.baseDir, path));
  const source = createDatasetSource({ config: datasets, egress: config.egress, env, clock });
  const attach = (owner: Owner, { suite, pinned }: CompiledProfile) =>
    store.suites.attach(owner, suite.head.digest, pinned, clock.now());
  return {
    compile: (request) =>
      compileOpened(source, request, maxTasks).catch((error) => {
        throw request.rows ? error : atDataset(error, request.agent);
      }),
    async install(owner, compiled) {
      checkPair(compiled);
      const known = await store.suites.contractOf(owner, compiled.suite.head.digest);
      if (known && known.digest !== compiled.pinned.digest) throw otherContract(compiled);
      const outcome = await shelf.install(owner, compiled.suite);
      if (known) return outcome;
      await attach(owner, compiled);
      return 'created';
    },
    async replace(owner, compiled) {
      checkPair(compiled);
      await shelf.replace(owner, compiled.suite);
      await attach(owner, compiled);
    },
  };
}

async function compileOpened(
  source: ReturnType<typeof createDatasetSource>,
  request: ProfileRequest,
  maxTasks: number | undefined,
): Promise<CompiledProfile> {
  const data = await openData(source, request);
  try {
    const { rows, dataset } = data;
    const compiled = await compileProfile({
      agent: request.agent,
      ...(rows && { rows }),
      ...(dataset && { dataset }),
      options: { ...(maxTasks !== undefined && { maxTasks }), ...request.options },
    });
    const suite = compiled.suite as unknown as JsonObject;
    return {
      suite: parseSuite(suite),
      document: suite,
      pinned: pin(compiled.contract),
      warnings: [...compiled.warnings, ...data.warnings()],
      ...data.locked(),
    };
  } finally {
    await data.close();
  }
}

/** Trouble with a dataset as a whole is shown where the dataset is named; trouble with a row stays with the row. */
function atDataset(error: unknown, agent: ProfiledAgent): unknown {
  if (!isHostError(error) || error.code !== 'validation_error') return error;
  const { issues, ...details } = error.details as { readonly issues: readonly Issue[] };
  const pointer = `${profilePointer(agent)}/golden_dataset_uri`;
  const isWhole = (issue: Issue): boolean => issue.pointer === '' && issue.line === undefined;
  return validationError(
    issues.map((issue) => (isWhole(issue) ? { ...issue, pointer } : issue)),
    details,
  );
}

const pin = (contract: EvalContract): PinnedContract => ({
  contract,
  digest: asId<Digest>(
    `sha256:${createHash('sha256')
      .update(canonicalJson(contract as unknown as Json))
      .digest('hex')}`,
  ),
});

/** A contract says how the tasks of one suite are scored; beside any other it would score them wrongly. */
function checkPair({ suite, pinned }: CompiledProfile): void {
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

const otherContract = ({ suite }: CompiledProfile): HostError =>
  new HostError(
    'conflict',
    `Suite ${suite.head.suiteId}@${suite.head.version} is installed with another contract. Versions do not change: raise the version of the agent.`,
  );

type Data = Pick<Parameters<typeof compileProfile>[0], 'rows' | 'dataset'> & {
  warnings(): readonly ProfileWarning[];
  locked(): Pick<CompiledProfile, 'locked'>;
  close(): Promise<void>;
};

const NOTHING = { warnings: () => [], locked: () => ({}), close: async () => undefined };

async function openData(
  source: ReturnType<typeof createDatasetSource>,
  request: ProfileRequest,
): Promise<Data> {
  if (request.rows) return givenRows(request.rows);
  const text = request.agent.evaluation?.golden_dataset_uri;
  if (!text) return NOTHING;
  const uri = parseDatasetUri(text);
  const { status } = request.agent;
  const decision = decidePin({
    uri,
    ...(request.lock && { lock: request.lock }),
    ...(status && { status }),
    ...(request.allowUnpinned && { override: true }),
  });
  if (decision.kind === 'error') throw decision.error;
  const pinned = decision.kind === 'check' ? decision.sha256 : undefined;
  const opened = await openRows(source, uri, request.from, pinned);
  const isData = uri.scheme === 'data';
  return {
    rows: opened.rows,
    dataset: () => {
      const { sha256, bytes, format } = opened.facts();
      return { sha256, bytes, format, ...(!isData && { uri: uri.uri }) };
    },
    warnings: () => [...(decision.kind === 'warn' ? [decision.warning] : []), ...opened.warnings()],
    locked: () => {
      const { sha256, bytes } = opened.facts();
      return decision.kind === 'warn' ? { locked: { uri: uri.uri, sha256, bytes } } : {};
    },
    close: opened.close,
  };
}

function givenRows(values: readonly unknown[]): Data {
  const { rows, warnings } = normaliseRows(values, '/rows');
  const text = Buffer.from(canonicalJson(values as Json));
  const sha256 = createHash('sha256').update(text).digest('hex');
  return {
    ...NOTHING,
    rows: async function* () {
      yield* rows;
    },
    dataset: () => ({ sha256, bytes: text.length, format: 'rows' }),
    warnings: () => warnings,
  };
}
