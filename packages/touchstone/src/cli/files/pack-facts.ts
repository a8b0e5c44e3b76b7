import type { Config, PackContract } from '../../app/index.js';
import type { PackReading } from '../../packs/index.js';
import type { Context } from '../io.js';
import { withScratch } from '../local.js';
import { type ContractFacts, factsOfPack, type PackFacts } from '../render/pack.js';

/** What its author is told of a pack, along with what would keep its suites from running. */
export async function lookAtPack(pack: PackReading): Promise<PackFacts> {
  const [{ inputWarnings, profileFilesOf }, { createSchemaCheck }] = await Promise.all([
    import('../../packs/index.js'),
    import('../../app/index.js'),
  ]);
  const facts = factsOfPack(pack);
  const files = new Map(profileFilesOf(pack).map(({ agent, file }) => [agent.manifest.agentId, file]));
  return {
    ...facts,
    agents: facts.agents.map((agent) => {
      const file = files.get(agent.agentId);
      return file === undefined ? agent : { ...agent, contract: { file } };
    }),
    warnings: [...facts.warnings, ...inputWarnings(pack, createSchemaCheck())],
  };
}

/** The same with the contracts its agents carry, as installing would compile them: one that cannot be is an error. */
export async function compilePack(context: Context, config: Config, pack: PackReading): Promise<PackFacts> {
  const facts = await lookAtPack(pack);
  const contracts = await contractsOf(context, config, pack);
  const compiled = new Map(contracts.map((contract) => [contract.agentId, factsOf(contract)]));
  return {
    ...facts,
    agents: facts.agents.map((agent) => {
      const contract = compiled.get(agent.agentId);
      return contract ? { ...agent, contract } : agent;
    }),
    suites: [
      ...facts.suites,
      ...contracts.map(({ compiled: { suite } }) => ({
        ref: `${suite.head.suiteId}@${suite.head.version}`,
        tasks: suite.head.taskCount,
      })),
    ],
    warnings: [...facts.warnings, ...contracts.flatMap(({ warnings }) => warnings)],
  };
}

async function contractsOf(
  context: Context,
  config: Config,
  pack: PackReading,
): Promise<readonly PackContract[]> {
  const { readPackProfiles } = await import('../../packs/index.js');
  if (readPackProfiles(pack).length === 0) return [];
  const { compilePackProfiles } = await import('../../app/index.js');
  return withScratch(context, config, [], ({ touchstone }) =>
    compilePackProfiles({ compile: touchstone.compileProfile }, pack),
  );
}

function factsOf({ file, compiled: { suite, pinned } }: PackContract): ContractFacts {
  const { criteria, dataset } = pinned.contract;
  return {
    file,
    compiled: {
      suite: `${suite.head.suiteId}@${suite.head.version}`,
      criteria: criteria.length,
      strict: criteria.filter(({ strict }) => strict).length,
      tasks: suite.head.taskCount,
      ...(dataset && {
        dataset: { rows: dataset.rows, ...(dataset.uri !== undefined && { uri: dataset.uri }) },
      }),
    },
  };
}
