import { signed } from '@touchstone/sdk/view';

type ChangeProps = {
  readonly value: number;
  readonly interval: readonly [number, number];
  readonly tolerance: number;
};

const WIDTH = 240;

/** A change with the interval it could as well have, against zero; what is tolerated lies between zero and the gold line. */
export function ChangeMark({ value, interval: [low, high], tolerance }: ChangeProps) {
  const reach = Math.max(Math.abs(low), Math.abs(high), tolerance, 0.01) * 1.15;
  const x = (at: number): number => 4 + ((at + reach) / (2 * reach)) * (WIDTH - 8);
  const label = `Change ${signed(value)}, 95 % interval ${signed(low)} to ${signed(high)}.`;
  return (
    <svg class="interval" width={WIDTH} height={40} viewBox={`0 0 ${WIDTH} 40`} role="img" aria-label={label}>
      <line class="axis" x1={4} x2={WIDTH - 4} y1={14} y2={14} />
      <line class="baseline" x1={x(0)} x2={x(0)} y1={3} y2={25} />
      {tolerance > 0 && <line class="bar" x1={x(-tolerance)} x2={x(-tolerance)} y1={3} y2={25} />}
      <text class="tick" x={x(0)} y={37}>
        ±0
      </text>
      {tolerance / reach > 0.15 && (
        <text class="tick gold" x={x(-tolerance)} y={37}>
          tolerated
        </text>
      )}
      <path class="whisker" d={`M${x(low)} 9v10M${x(low)} 14H${x(high)}M${x(high)} 9v10`} />
      <circle class="point" cx={x(value)} cy={14} r={4} />
    </svg>
  );
}
