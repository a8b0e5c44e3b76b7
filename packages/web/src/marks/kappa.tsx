import { kappaWords } from '@touchstone/sdk/view';
import { kappaText } from '../kappa-text.js';

const WIDTH = 220;
const STEPS = [0, 0.2, 0.4, 0.6, 0.8, 1];
const LEAST = -0.1;

type KappaProps = {
  readonly kappa: number;
  readonly people?: number | undefined;
  /** What it is measured against. */
  readonly least: number;
};

/** Kappa on the scale of its words, each step one tick; the least that is wanted is gold, what people reach among themselves dashed. */
export function KappaMark({ kappa, people, least }: KappaProps) {
  const x = (at: number): number => 4 + ((Math.max(LEAST, at) - LEAST) / (1 - LEAST)) * (WIDTH - 8);
  const beside = people === undefined ? '' : ` People reach ${kappaText(people)} among themselves.`;
  const against = ` ${kappa < least ? 'Below' : 'Not below'} the min kappa of ${kappaText(least)}.`;
  const label = `Kappa ${kappaText(kappa)}, ${kappaWords(kappa)}.${against}${beside}`;
  return (
    <svg class="interval" width={WIDTH} height={32} viewBox={`0 0 ${WIDTH} 32`} role="img" aria-label={label}>
      <line class="axis" x1={4} x2={WIDTH - 4} y1={14} y2={14} />
      {STEPS.map((step) => (
        <line key={step} class="tick-mark" x1={x(step)} x2={x(step)} y1={10} y2={18} />
      ))}
      {[0, 1].map((end) => (
        <text key={end} class="tick-name" x={x(end)} y={30} text-anchor={end === 1 ? 'end' : 'middle'}>
          {end}
        </text>
      ))}
      <line class="bar" x1={x(least)} x2={x(least)} y1={3} y2={25} />
      {people !== undefined && <line class="baseline" x1={x(people)} x2={x(people)} y1={3} y2={25} />}
      <circle class="point" cx={x(kappa)} cy={14} r={4} />
    </svg>
  );
}
