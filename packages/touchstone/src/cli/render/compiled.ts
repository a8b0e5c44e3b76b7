import { defined } from '@touchstone/protocol';
import type { ContractCriterion } from '@touchstone/protocol/bodies';
import { duration, percent, plural, whole } from '@touchstone/sdk/view';
import type { CompiledContract } from '../files/compile-contract.js';
import type { PlacedWarning } from '../files/locate-issues.js';
import { blocks, markedLines, type Row, rowLines } from './layout.js';
import { renderTable } from './table.js';
import type { Ink, Look } from './text.js';

/** A compiled contract as the command line tells it. */
export type Compiled = {
  readonly agentId: string;
  readonly contract: CompiledContract;
  /** Absent when nothing was to be written. */
  readonly files: readonly {
    readonly holds: 'suite' | 'contract';
    readonly file: string;
    readonly isSame: boolean;
  }[];
};
export type CompiledDefinition = {
  readonly file: string;
  readonly warnings: readonly PlacedWarning[];
  readonly compiled: readonly Compiled[];
};

export function renderCompiled({ warnings, compiled }: CompiledDefinition, look: Look): string {
  const parts = [
    ...compiled.flatMap((one) => [
      titleLines(one, look.ink),
      [criteriaTable(one.contract.head.criteria, look.ink)],
      warningLines(one.contract.warnings, look),
    ]),
    warningLines(warnings, look),
  ];
  return `${blocks(parts)}\n`;
}

function titleLines({ agentId, contract, files }: Compiled, ink: Ink): string[] {
  const { head, tasks } = contract;
  const { dataset, sla, judge } = head;
  const rows: readonly Row[] = [
    ['agent', `${head.agent.name} ${head.agent.version} (${agentId})`],
    ['tasks', `${whole(tasks)}${dataset ? `, from ${datasetWords(dataset)}` : ''}`],
    ['latency', sla && `p95 at most ${duration(sla.expectedLatencyMs)}${policyWords(sla.policy)}`],
    ['judge', judge?.model],
    ...files.map(({ holds, file, isSame }) => [holds, `${file}${isSame ? ' (unchanged)' : ''}`] as const),
  ];
  return [
    `  ${ink.bold(`${files.length > 0 ? 'Compiled' : 'Compiles to'} ${head.suiteId}@${head.suiteVersion}`)}`,
    ...rowLines(rows, { ink, width: Number.POSITIVE_INFINITY }),
  ];
}

const policyWords = (policy: 'gate' | 'warn'): string => (policy === 'warn' ? ', reported only' : '');

type Dataset = NonNullable<CompiledContract['head']['dataset']>;

function datasetWords({ rows, uri, sha256, sample }: Dataset): string {
  const taken = sample ? `${whole(rows)} of ${plural(sample.of, 'row')}` : plural(rows, 'row');
  return `${taken}${uri === undefined ? '' : ` of ${uri}`} (sha256 ${sha256.slice(0, 8)}…)`;
}

function criteriaTable(criteria: readonly ContractCriterion[], ink: Ink): string {
  const rows = criteria.map((criterion) => [
    criterion.implicit ? `${criterion.id} ${ink.dim('(added)')}` : criterion.id,
    criterion.strict ? 'strict' : ink.dim('advisory'),
    criterion.evaluator,
    requiredWords(criterion),
  ]);
  return renderTable(['criterion', '', 'decided by', 'required'], rows, ink);
}

/** `98 % of tasks`, `every task ≥ 0.9`, `every task < 40 words`. */
export function requiredWords(criterion: ContractCriterion): string {
  const { rate, bound, latencyMs } = criterion;
  const tasks = rate === 1 ? 'every task' : rate === 0 ? 'no task' : `${percent(rate)} of tasks`;
  const limit =
    degreeWords(criterion) ??
    (bound && `${bound.inclusive ? '≤' : '<'} ${whole(bound.most)} ${bound.unit}`) ??
    (latencyMs === undefined ? undefined : `≤ ${duration(latencyMs)}`);
  return limit === undefined ? tasks : `${tasks} ${limit}`;
}

const degreeWords = ({ degree, direction }: ContractCriterion): string | undefined =>
  degree === undefined ? undefined : `${direction === 'min' ? '≤' : '≥'} ${degree}`;

const warningLines = (warnings: readonly PlacedWarning[], look: Look): string[] =>
  warnings.flatMap((warning) => markedLines(look.ink.yellow('!'), warningWords(warning), look));

/** `agent.json:12:7 zero_latency: An expected latency …` */
export function warningWords({ code, message, file, line, column }: PlacedWarning): string {
  const place = [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined);
  return [...(place.length > 0 ? [place.join(':')] : []), `${code}:`, message].join(' ');
}

/** The `--json` form. Sentences of criteria are content, and are not in it. */
export const compiledDocument = ({ file, warnings, compiled }: CompiledDefinition): object => ({
  definition: file,
  contracts: compiled.map(({ agentId, contract: { head, suiteSha256, tasks, warnings: own }, files }) => ({
    agentId,
    suite: { ref: `${head.suiteId}@${head.suiteVersion}`, digest: `sha256:${suiteSha256}` },
    tasks,
    ...defined({ dataset: head.dataset, sla: head.sla, judge: head.judge }),
    criteria: head.criteria.map(({ name: _, description: __, ...facts }) => facts),
    ...(files.length > 0 && { files: Object.fromEntries(files.map((one) => [one.holds, one.file])) }),
    warnings: own,
  })),
  warnings,
});
