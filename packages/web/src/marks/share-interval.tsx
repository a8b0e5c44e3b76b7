import { percent } from '@touchstone/sdk/view';

type ShareIntervalProps = {
  readonly name: string;
  readonly value: number;
  readonly interval: readonly [number, number];
};

const WIDTH = 160;

/** A share with the interval that it could as well lie in, from 0 to 1, so that rows can be held against each other. */
export function ShareInterval({ name, value, interval: [low, high] }: ShareIntervalProps) {
  const x = (at: number): number => 5 + at * (WIDTH - 10);
  const label = `${name}: ${percent(value)}, 95 % interval ${percent(low)} to ${percent(high)}`;
  return (
    <svg class="interval" width={WIDTH} height={20} viewBox={`0 0 ${WIDTH} 20`} role="img" aria-label={label}>
      <line class="axis" x1={5} x2={WIDTH - 5} y1={10} y2={10} />
      <path class="whisker" d={`M${x(low)} 6v8M${x(low)} 10H${x(high)}M${x(high)} 6v8`} />
      <circle class="point" cx={x(value)} cy={10} r={3.5} />
    </svg>
  );
}
