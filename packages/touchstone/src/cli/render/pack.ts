import type { JsonObject } from '@touchstone/protocol';
import { plural } from '@touchstone/sdk/view';
import type { PackReading } from '../../packs/index.js';
import { type Ink, printable } from './text.js';

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
export type ContractFacts = {
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

export function factsOfPack(pack: PackReading): PackFacts {
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
