import { defined, type JsonObject } from '@touchstone/protocol';
import { plural } from '@touchstone/sdk/view';
import {
  type Config,
  checkBounded,
  compilePackProfiles,
  createSchemaCheck,
  type PackContract,
} from '../../app/index.js';
import { inputWarnings, type PackReading, profileFilesOf, readPackProfiles } from '../../packs/index.js';
import type { Context } from '../io.js';
import { withScratch } from '../local.js';
import { markedLines, type Row, rowLines } from './layout.js';
import type { Ink } from './text.js';

export type { Row } from './layout.js';

/** What its author is told of a pack, along with what would keep its suites from running. */
export async function lookAtPack(pack: PackReading): Promise<PackFacts> {
  const { publicKeyRef } = (pack.manifest.signing ?? {}) as JsonObject;
  const files = new Map(profileFilesOf(pack).map(({ agent, file }) => [agent.manifest.agentId, file]));
  return {
    name: pack.name,
    version: pack.version,
    integrity: pack.integrity,
    files: pack.files.size,
    agents: pack.agents.map(({ manifest: { agentId }, suite }) => {
      const file = files.get(agentId);
      return defined({
        agentId,
        suite: suite && `${suite.suiteId}@${suite.version}`,
        contract: file === undefined ? undefined : { file },
      });
    }),
    suites: pack.suites.map(suiteFacts),
    ...(typeof publicKeyRef === 'string' && { signedBy: publicKeyRef }),
    warnings: [...pack.warnings, ...(await inputWarnings(pack, createSchemaCheck(checkBounded)))],
  };
}

const suiteFacts = ({ head }: PackReading['suites'][number]): PackFacts['suites'][number] => ({
  ref: `${head.suiteId}@${head.version}`,
  tasks: head.taskCount,
});

/** The same with the contracts its agents carry, as installing would compile them: one that cannot be is an error. */
export async function compilePack(context: Context, config: Config, pack: PackReading): Promise<PackFacts> {
  const facts = await lookAtPack(pack);
  const contracts = await contractsOf(context, config, pack);
  const compiled = new Map(contracts.map((contract) => [contract.agentId, factsOf(contract)]));
  return {
    ...facts,
    agents: facts.agents.map((agent) => ({
      ...agent,
      ...defined({ contract: compiled.get(agent.agentId) ?? agent.contract }),
    })),
    suites: [...facts.suites, ...contracts.map(({ compiled: { suite } }) => suiteFacts(suite))],
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
  const { ref, tasks } = suiteFacts(suite);
  const strict = criteria.filter((criterion) => criterion.strict).length;
  const rows = dataset && defined({ rows: dataset.rows, uri: dataset.uri });
  return { file, compiled: defined({ suite: ref, criteria: criteria.length, strict, tasks, dataset: rows }) };
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

/** `agent  vendor.acme.support.default, without a suite` */
export const contentRows = (
  { integrity, files, agents, suites }: PackFacts,
  aboutFiles = '',
): readonly Row[] => [
  ['integrity', integrity],
  ['files', `${files}${aboutFiles}`],
  ...agents.flatMap(({ agentId, suite, contract }): readonly Row[] => [
    ['agent', suite || contract ? agentId : `${agentId}, without a suite`],
    ['contract', contract && contractWords(contract)],
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
  const look = { ink, width: Number.POSITIVE_INFINITY };
  return [
    `  ${ink.bold(title)}`,
    ...rowLines(rows, look),
    ...warnings.flatMap((warning) => markedLines(ink.yellow('!'), warning, look)),
    '',
  ].join('\n');
}
