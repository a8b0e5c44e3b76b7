import type { JsonObject } from '@touchstone/protocol';
import { plural } from '@touchstone/sdk/view';
import { type Config, compilePackProfiles, createSchemaCheck, type PackContract } from '../../app/index.js';
import { inputWarnings, type PackReading, profileFilesOf, readPackProfiles } from '../../packs/index.js';
import type { Context } from '../io.js';
import { withScratch } from '../local.js';
import { type Ink, printable } from './text.js';

/** What its author is told of a pack, along with what would keep its suites from running. */
export function lookAtPack(pack: PackReading): PackFacts {
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
  const facts = lookAtPack(pack);
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
  if (readPackProfiles(pack).length === 0) return [];
  return withScratch(context, config, [], ({ touchstone }) => compilePackProfiles(touchstone.profiles, pack));
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

/** A pack as the command line tells it: what it is called, what it holds, who signed it. Nothing of its content. */
export type PackFacts = {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly files: number;
  readonly agents: readonly {
    readonly agentId: string;
    readonly suite?: string;
    readonly contract?: ContractFacts;
  }[];
  readonly suites: readonly { readonly ref: string; readonly tasks: number }[];
  /** The key it says it is signed by; whether that is true is another question. */
  readonly signedBy?: string;
  readonly warnings: readonly string[];
};

/** What the contract is that an agent carries; where only its file has been looked for, no more than that. */
type ContractFacts = {
  readonly file: string;
  readonly compiled?: {
    readonly suite: string;
    readonly criteria: number;
    readonly strict: number;
    readonly tasks: number;
    /** Its URI is absent when the rows stand in the profile itself. */
    readonly dataset?: { readonly uri?: string; readonly rows: number };
  };
};

function factsOfPack(pack: PackReading): PackFacts {
  const { publicKeyRef } = (pack.manifest.signing ?? {}) as JsonObject;
  return {
    name: pack.name,
    version: pack.version,
    integrity: pack.integrity,
    files: pack.files.size,
    agents: pack.agents.map(({ manifest: { agentId }, suite }) => ({
      agentId,
      ...(suite && { suite: `${suite.suiteId}@${suite.version}` }),
    })),
    suites: pack.suites.map(({ head }) => ({
      ref: `${head.suiteId}@${head.version}`,
      tasks: head.taskCount,
    })),
    ...(typeof publicKeyRef === 'string' && { signedBy: publicKeyRef }),
    warnings: pack.warnings,
  };
}

/** `✓ agents     vendor.acme.support.default, with a suite` */
export type Row = readonly [label: string, text: string];

export const contentRows = (
  { integrity, files, agents, suites }: PackFacts,
  aboutFiles = '',
): readonly Row[] => [
  ['integrity', integrity],
  ['files', `${files}${aboutFiles}`],
  ...agents.flatMap(({ agentId, suite, contract }): readonly Row[] => [
    ['agent', suite || contract ? agentId : `${agentId}, without a suite`],
    ...(contract ? [['contract', contractWords(contract)] as const] : []),
  ]),
  ...suites.map(({ ref, tasks }): Row => ['suite', `${ref}, ${plural(tasks, 'task')}`]),
];

/** `evaluation/….yaml: 3 criteria, 2 of them strict; 4 tasks of 4 rows in evaluation/parcels.jsonl` */
function contractWords({ file, compiled }: ContractFacts): string {
  if (!compiled) return file;
  const { criteria, strict, tasks, dataset } = compiled;
  const rows = dataset ? ` of ${plural(dataset.rows, 'row')} in ${dataset.uri ?? 'the profile itself'}` : '';
  return `${file}: ${count(criteria)}, ${strict === criteria ? 'all' : strict} strict; ${plural(tasks, 'task')}${rows}`;
}

const count = (criteria: number): string => (criteria === 1 ? '1 criterion' : `${criteria} criteria`);

export function renderPack(
  title: string,
  rows: readonly Row[],
  warnings: readonly string[],
  ink: Ink,
): string {
  const column = Math.max(...rows.map(([label]) => label.length));
  return [
    `  ${ink.bold(title)}`,
    ...rows.map(([label, text]) => `  ${ink.dim(label.padEnd(column))}  ${printable(text)}`),
    ...warnings.map((warning) => `  ${ink.yellow('!')} ${printable(warning)}`),
    '',
  ].join('\n');
}
