import type { Digest, Owner, Scorecard } from '@touchstone/protocol';
import type { HostTools, ModuleAgent, NotFollowed } from '../../agents/index.js';
import type { TrustedKey } from '../../evidence/index.js';
import type { AgentFacts, Store, Suite } from '../../ports/index.js';
import type { DefinitionAgent } from '../../profiles/index.js';
import type { FunctionSpec } from '../catalogue/function-agent.js';
import type { PackCatalogue } from '../catalogue/pack-catalogue.js';
import type { PackWithdrawals } from '../catalogue/pack-withdrawals.js';
import type { Profiles } from '../catalogue/profiles.js';
import type { Judging } from '../judges/judging.js';
import type { CalibrationRecords } from '../judges/records.js';
import type { JudgeRequest } from '../runs/rejudge.js';
import type { Scorers } from '../scorers/scorers.js';
import type { Touchstone } from '../touchstone.js';

/** What only the operator of the machine may do. */
export type LocalTouchstone = Touchstone & {
  /** Registers an agent given on the command line. */
  useAgent(spec: unknown, baseDir: string): Promise<AgentFacts>;
  /** Registers a function of this program as an agent. */
  useFunction(answer: ModuleAgent, spec: FunctionSpec): Promise<AgentFacts>;
  /** Registers a function of this program as a scorer. */
  useScorer: Scorers['useFunction'];
  /** Fails with the reason why a scorer of the configuration cannot be used. */
  checkScorer(name: string): Promise<void>;
  /** What the digest of such an agent may not cover; undefined when it covers all that can be found. */
  filesNotFollowed(spec: unknown, baseDir: string): Promise<NotFollowed | undefined>;
  /**
   * Installs a pack that may have been edited since the last run. One that the configuration brings in the same state is
   * left where it is: a copy would hide it, and would stay behind when its files are edited.
   */
  usePack: PackCatalogue['draft'];
  readonly packs: PackCatalogue & PackWithdrawals;
  /** Compiles test contracts from files of this machine, and installs those that may have been edited. */
  readonly profiles: Pick<Profiles, 'compile' | 'replace'>;
  readonly tools: HostTools;
  /** For a process that executes runs as long as it lives: agents begin sooner. */
  keepAgentsReady(): void;
  /** Registers the agent of a definition: its prompt and its model. */
  useDefinition(agent: DefinitionAgent): Promise<AgentFacts>;
  /** API keys of every tenant, by their hashes. Making and revoking one is audited. */
  readonly keys: Store['keys'];
  /** The suite that a run is pinned to, by its digest; undefined when it is no longer kept. */
  pinnedSuite(owner: Owner, digest: Digest): Promise<Suite | undefined>;
  /** The contract of a digest, as a suite was compiled with it. */
  pinnedContract: Store['suites']['contract'];
  /** Keeps the scorecard in a file as something to compare with, if a trusted key has signed it. */
  importScorecard(owner: Owner, text: string): Promise<Scorecard>;
  /** Whose signatures on scorecards are trusted: the configured keys, and this machine's own. */
  evidenceKeys(): readonly TrustedKey[];
  /** Every owner that has an audit log in this store. */
  auditOwners(): Promise<readonly Owner[]>;
  /** Scores answers outside of any run; without a request, by checks alone. */
  openJudging(request?: JudgeRequest, owner?: Owner): Promise<Judging>;
  /** What checks of judges found, kept for gates. */
  readonly calibrationRecords: CalibrationRecords;
};
