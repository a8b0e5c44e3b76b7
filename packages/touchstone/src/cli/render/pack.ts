import type { JsonObject } from '@touchstone/contract';
import type { OpenedPack } from '../../suites/index.js';
import type { Ink } from './ink.js';
import { printable } from './text.js';
import { plural } from './units.js';

/** A pack as the command line tells it: what it is called, what it holds, who signed it. Nothing of its content. */
export type PackFacts = {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly files: number;
  readonly agents: readonly { readonly agentId: string; readonly suite?: string }[];
  readonly suites: readonly { readonly ref: string; readonly tasks: number }[];
  /** The key it says it is signed by; whether that is true is another question. */
  readonly signedBy?: string;
  readonly warnings: readonly string[];
};

export function factsOfPack(pack: OpenedPack): PackFacts {
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
  ...agents.map(({ agentId, suite }): Row => ['agent', suite ? agentId : `${agentId}, without a suite`]),
  ...suites.map(({ ref, tasks }): Row => ['suite', `${ref}, ${plural(tasks, 'task')}`]),
];

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
