import { range } from '@touchstone/sdk/view';

type SmallIntervalProps = { readonly value: number; readonly interval: readonly [number, number] };

const WIDTH = 56;

/** A score and its interval on the scale from 0 to 1, as small as a word. The number stands beside it. */
export function SmallInterval({ value, interval: [low, high] }: SmallIntervalProps) {
  const x = (at: number): number => 3 + at * (WIDTH - 6);
  const label = `95 % interval ${range([low, high])}`;
  return (
    <svg
      class="interval small"
      width={WIDTH}
      height={12}
      viewBox={`0 0 ${WIDTH} 12`}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <line class="axis" x1={3} x2={WIDTH - 3} y1={6} y2={6} />
      <path class="whisker" d={`M${x(low)} 2v8M${x(low)} 6H${x(high)}M${x(high)} 2v8`} />
      <circle class="point" cx={x(value)} cy={6} r={2} />
    </svg>
  );
}
