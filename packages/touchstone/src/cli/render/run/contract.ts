import type { GateStatus, ReportedGate } from '@touchstone/protocol';
import { contractWords, metWords, requiredWords, score, slaWords } from '@touchstone/sdk/view';
import type { RunView } from '../../verbs/run/result.js';
import { renderTable } from '../table.js';
import { type Ink, type Look, truncate, wrap } from '../text.js';

const MARKS: { readonly [status in GateStatus]: readonly [mark: string, paint: keyof Ink] } = {
  pass: ['✓', 'green'],
  fail: ['✗', 'red'],
  warn: ['!', 'yellow'],
  error: ['?', 'yellow'],
};

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
