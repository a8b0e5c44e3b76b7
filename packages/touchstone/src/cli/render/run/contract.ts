import type { ContractReport, ContractVerdict, GateStatus, ReportedGate } from '@touchstone/protocol';
import { duration, percent, score, whole } from '@touchstone/sdk/view';
import type { RunView } from '../../verbs/run/result.js';
import type { Ink, Look } from '../ink.js';
import { renderTable } from '../table.js';
import { truncate, wrap } from '../text.js';
import { cell, code, table } from './markdown-parts.js';

type Sla = NonNullable<ContractReport['sla']>;

const MARKS: { readonly [status in GateStatus]: readonly [mark: string, paint: keyof Ink] } = {
  pass: ['✓', 'green'],
  fail: ['✗', 'red'],
  warn: ['!', 'yellow'],
  error: ['?', 'yellow'],
};

/** What became of a contract, in a word or two. */
export const KEPT: { readonly [verdict in ContractVerdict]: string } = {
  pass: 'kept',
  fail: 'not kept',
  error: 'not known whether it is kept',
};

/** `not kept; the thresholds of the suite are met`: the two who have a say, each by its name. */
export const keptWords = (verdict: ContractVerdict, passed: boolean): string =>
  `${KEPT[verdict]}; the thresholds of the suite are ${passed ? 'met' : 'missed'}`;

/** Every gate of the contract, what it demands of latency, and in one line what the scorecard alone does not tell. */
export function contractLines({ contract }: RunView, { ink, width }: Look): string[] {
  if (!contract) return [];
  const { criteria, sla } = contract;
  const words = contractWords(contract);
  return [
    ...(criteria.length > 0 ? [gateTable(criteria, { ink, width })] : []),
    ...(sla ? [`  ${markOf(sla.status, ink)} ${slaWords(sla)}`] : []),
    ...(words === undefined ? [] : wrap(words, width - 2).map((line) => `  ${ink.yellow(line)}`)),
  ];
}

function gateTable(gates: readonly ReportedGate[], { ink, width }: Look): string {
  const hasMeans = gates.some(({ mean }) => mean !== undefined);
  const heads = ['', 'met', 'required', ...(hasMeans ? ['mean'] : [])];
  const facts = gates.map((gate) => [
    gate.strict ? 'strict' : 'advisory',
    metWords(gate),
    requiredWords(gate),
    ...(hasMeans ? [gate.mean === undefined ? '' : score(gate.mean)] : []),
  ]);
  const columns = heads.map((_, at) => Math.max(...[heads, ...facts].map((row) => (row[at] ?? '').length)));
  const beside = columns.reduce((sum, column) => sum + column + GAP, INDENT + MARK);
  const rows = gates.map((gate, at) => [
    `${markOf(gate.status, ink)} ${truncate(gate.id, Math.max(MIN_ID, width - beside))}`,
    ...(facts[at] ?? []),
  ]);
  return renderTable(['  gate', ...heads], rows, ink);
}

const [INDENT, MARK, GAP, MIN_ID] = [2, 2, 2, 12];

function markOf(status: GateStatus, ink: Ink): string {
  const [mark, paint] = MARKS[status];
  return ink[paint](mark);
}

/** `9 of 10`, and how many of them nobody could decide. */
export function metWords({ met, applicable, unjudged }: ReportedGate): string {
  if (applicable === 0) return unjudged === undefined ? 'not tried' : `${whole(unjudged)} not judged`;
  const open = unjudged === undefined ? '' : `, ${whole(unjudged)} not judged`;
  return `${whole(met)} of ${whole(applicable)}${open}`;
}

/** `all`, `98 %`. */
export const requiredWords = ({ required }: ReportedGate): string =>
  required === 1 ? 'all' : percent(required);

/** `SLA: p95 412 ms, at most 1.5 s` */
export function slaWords({ expectedLatencyMs, p95Ms, policy, status }: Sla): string {
  const took = status === 'error' ? 'no latency is known' : `p95 ${duration(p95Ms)}`;
  return `SLA: ${took}, at most ${duration(expectedLatencyMs)}${policy === 'warn' ? ' (reported only)' : ''}`;
}

/** The strict gates and the SLA with this status, by name. */
export const bindingNames = ({ criteria, sla }: ContractReport, status: GateStatus): readonly string[] => [
  ...criteria.filter((gate) => gate.strict && gate.status === status).map(({ id }) => id as string),
  ...(sla?.policy === 'gate' && sla.status === status ? ['the SLA'] : []),
];

/** What a reader of the bars alone would get wrong. */
export function contractWords(contract: ContractReport): string | undefined {
  const { verdict, summary } = contract;
  if (verdict === 'error')
    return `Nobody could be asked about ${bindingNames(contract, 'error').join(', ')}, so whether the contract is kept is not known.`;
  if (verdict === 'fail' && summary.passed)
    return `The suite's thresholds are met, but the contract is not kept: ${bindingNames(contract, 'fail').join(', ')}.`;
  if (verdict !== 'pass' || summary.passed) return undefined;
  if (summary.otherBarsMet)
    return 'Every gate of the contract is passed. The pass score is a bar for all tasks of the suite, and decides nothing about some of them.';
  return 'Every gate of the contract is passed, but a threshold of the suite is missed.';
}

const SYMBOLS: { readonly [status in GateStatus]: string } = {
  pass: '✅',
  fail: '❌',
  warn: '⚠️',
  error: '❔',
};

/** The same as a table for a pull request. */
export function contractParts({ contract }: RunView): readonly string[] {
  if (!contract) return [];
  const rows = contract.criteria.map((gate) => [
    code(gate.id),
    gate.strict ? 'strict' : 'advisory',
    metWords(gate),
    requiredWords(gate),
    gate.mean === undefined ? '–' : score(gate.mean),
    SYMBOLS[gate.status],
  ]);
  const { sla } = contract;
  const words = contractWords(contract);
  return [
    table(['gate', '', 'met', 'required', 'mean', ''], rows),
    sla ? `${SYMBOLS[sla.status]} ${cell(slaWords(sla))}` : '',
    words === undefined ? '' : `**${cell(words)}**`,
  ];
}
