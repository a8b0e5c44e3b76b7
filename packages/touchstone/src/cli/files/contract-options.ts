import type { CompileOptions, DefinitionAgent } from '../../profiles/index.js';
import { UsageError } from '../exit.js';

/** What a definition is compiled with, as the parser hands it over. */
export type ContractOptions = {
  readonly sla?: 'gate' | 'warn';
  readonly implicitReference?: 'strict' | 'advisory' | 'off';
  readonly split?: boolean;
  readonly sample?: number;
  readonly seed?: string;
  readonly percentThresholds?: boolean;
  readonly budgetCaps?: boolean;
  readonly fencedJson?: boolean;
  readonly approximateSimilarity?: boolean;
  readonly scope?: string;
  readonly org?: string;
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
  checkSeed(options);
  return {
    ...(options.sla && { sla: options.sla }),
    ...(options.implicitReference && { implicitReference: options.implicitReference }),
    ...(options.split && { split: true }),
    ...(options.sample !== undefined && {
      sample: { count: options.sample, seed: options.seed ?? agent.id },
    }),
    ...(options.percentThresholds && { percentThresholds: true }),
    ...(options.budgetCaps && { budget: true }),
    ...(options.fencedJson && { fenceTolerant: true }),
    ...(options.approximateSimilarity && { approximateSimilarity: true }),
    ...(options.scope !== undefined && { scope: options.scope }),
    ...(options.org !== undefined && { org: options.org }),
    ...(options.suiteName !== undefined && { name: options.suiteName }),
    ...(targetAgentId !== undefined && { targetAgentId }),
  };
}

function checkSeed({ sample, seed }: ContractOptions): void {
  if (seed === undefined || sample !== undefined) return;
  throw new UsageError(
    '--seed chooses the rows of a sample, and there is no --sample.',
    'Say how many rows to take, e.g. --sample 500, or leave --seed out.',
  );
}
