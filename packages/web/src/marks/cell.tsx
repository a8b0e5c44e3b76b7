import type { MatrixCell } from '@touchstone/protocol';
import { score } from '@touchstone/sdk/view';

export const CELL_OUTCOMES = { p: 'passed', f: 'failed', u: 'unscored', '-': 'absent' } as const;
const NAMES = { p: 'passed', f: 'failed', u: 'not scored', '-': 'not there' } as const;

/** How one task went in one run: a pass is a thin dash, a failure a tall block whose filling is the score. */
export function CellMark({ cell: [value, letter] }: { readonly cell: MatrixCell }) {
  const label = letter === 'p' || letter === 'f' ? `${NAMES[letter]}, ${score(value)}` : NAMES[letter];
  return (
    <svg class="cell-mark" width={16} height={18} viewBox="0 0 16 18" role="img" aria-label={label}>
      <title>{label}</title>
      {letter === 'p' && <rect class="passed" x={2} y={8} width={12} height={2} />}
      {letter === 'f' && <rect class="failed" x={3} y={2} width={10} height={14} />}
      {letter === 'f' && value > 0 && <rect class="part" x={3} y={2} width={10} height={14 * value} />}
      {letter === 'u' && <circle class="unscored" cx={8} cy={9} r={4} />}
    </svg>
  );
}
