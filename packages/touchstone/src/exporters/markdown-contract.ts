import type { GateStatus } from '@touchstone/protocol';
import { contractWords, metWords, type RunView, requiredWords, score, slaWords } from '@touchstone/sdk/view';
import { cell, code, table } from './markdown-parts.js';

const SYMBOLS: { readonly [status in GateStatus]: string } = {
  pass: '✅',
  fail: '❌',
  warn: '⚠️',
  error: '❔',
};

/** The gates of a contract, as a table for a pull request. */
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
