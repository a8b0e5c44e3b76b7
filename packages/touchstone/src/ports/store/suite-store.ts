import type {
  AgentId,
  Digest,
  EvalMode,
  ModelClass,
  Owner,
  SuiteId,
  TaskId,
  Thresholds,
  Version,
} from '@touchstone/protocol';
import type { PinnedContract, Task } from '@touchstone/protocol/bodies';
import type { Page } from './runs.js';

/** A suite without its tasks. */
export type SuiteHead = {
  readonly suiteId: SuiteId;
  readonly version: Version;
  readonly digest: Digest;
  readonly targetAgentId?: AgentId;
  readonly modes: readonly EvalMode[];
  readonly allowedModels?: readonly ModelClass[];
  readonly thresholds?: Thresholds;
  readonly taskCount: number;
  /** How many of the tasks are scored by criteria, and how many of those need a judge for some of them. */
  readonly rubricTasks: number;
  readonly judgedTasks: number;
  /** What its checks need beside the answers; absent when they need nothing. */
  readonly needs?: SuiteNeeds;
};
/** What the checks of a suite need beside the answers. */
export type SuiteNeeds = {
  /** The portable judge that its criteria name, `<judgeId>@<version>`: the judge of all of them. */
  readonly judge?: string;
  /** A judge that is shown more than question and answer. */
  readonly judgeData?: true;
  /** A model that compares meanings. */
  readonly embedder?: true;
  /** Time, cost or tokens decide some criteria, so equal answers may be scored differently. */
  readonly timed?: true;
  /** Programs of the configuration that score, by their names. */
  readonly scorers?: readonly string[];
};
export type Suite = {
  readonly head: SuiteHead;
  /** Of a long suite, that is all of it read once more. */
  readonly tasks: readonly Task[];
  /** Of a long suite, which is not held in memory as a whole. */
  readonly stream?: SuiteStream;
};
export type SuiteStream = {
  /** The tasks in order. Throws when the file has been written to since. */
  pages(): Iterable<readonly Task[]>;
  /** The tools that tasks have canned answers for. */
  readonly cannedTools: ReadonlySet<string>;
};

/** Whose word it is that a name and version stand for a digest. */
export type SuiteSignature = {
  /** The trusted key, as it was known when the suite came in. */
  readonly keyId: string;
  /** The DSSE envelope that says so. */
  readonly envelope?: string;
  /** The pack, as `name@version`, that was signed with all of its files. One of the two is there. */
  readonly pack?: string;
};

export type Suites = {
  /**
   * Same digest again is the same suite. Refuses nothing: whether a version may change is the caller's rule. The
   * signature is written together with it.
   */
  put(owner: Owner, suite: Suite, installedAt: number, signature?: SuiteSignature): Promise<void>;
  /** Adds a signature to what is stored. */
  sign(owner: Owner, digest: Digest, signature: SuiteSignature, at: number): Promise<void>;
  signature(owner: Owner, digest: Digest): Promise<SuiteSignature | undefined>;
  get(owner: Owner, suiteId: SuiteId, version: Version): Promise<SuiteHead | undefined>;
  byDigest(owner: Owner, digest: Digest): Promise<SuiteHead | undefined>;
  versions(owner: Owner, suiteId: SuiteId): Promise<readonly Version[]>;
  list(owner: Owner, limit: number, cursor?: string): Promise<Page<SuiteHead>>;
  /** Tasks in suite order, read in pages. */
  tasks(owner: Owner, digest: Digest, fromOrdinal: number, limit: number): Promise<readonly Task[]>;
  /** Makes a contract the one of a suite, for runs to come. Earlier ones stay readable by their own digest. */
  attach(owner: Owner, suite: Digest, contract: PinnedContract, at: number): Promise<void>;
  /**
   * Suite and contract at once, for good: false, and nothing is written, when the version names another suite or the
   * suite has another contract.
   */
  putOnce(owner: Owner, suite: Suite, contract: PinnedContract, installedAt: number): Promise<boolean>;
  /** A suite without a contract. Those it had stay readable by their own digest. */
  detach(owner: Owner, suite: Digest): Promise<void>;
  contractOf(owner: Owner, suite: Digest): Promise<PinnedContract | undefined>;
  contract(owner: Owner, digest: Digest): Promise<PinnedContract | undefined>;
  ordinalOf(owner: Owner, digest: Digest, taskId: TaskId): Promise<number | undefined>;
};
