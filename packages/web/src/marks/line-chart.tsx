import { Fragment } from 'preact';

type Point = readonly [x: number, y: number];
type Series = { readonly name: string; readonly points: readonly Point[] };

type LineChartProps = {
  /** The sentence that the chart shows. */
  readonly label: string;
  readonly series: readonly Series[];
  readonly showX: (x: number) => string;
  readonly showY: (y: number) => string;
  /** Values of x that something is measured against, in gold. */
  readonly bars?: readonly { readonly at: number; readonly name: string }[];
  readonly nameX: string;
};

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [480, 190, 44, 34, 16, 12];
const TICKS_Y = [0, 0.25, 0.5, 0.75, 1];

/** Curves of shares, from 0 to 1. The numbers stand in a table beside it. */
export function LineChart({ label, series, showX, showY, bars = [], nameX }: LineChartProps) {
  const xs = [...series.flatMap(({ points }) => points.map(([x]) => x)), ...bars.map(({ at }) => at)];
  const [from, to] = [Math.min(...xs), Math.max(...xs)];
  const x = (at: number): number => LEFT + ((at - from) / (to - from || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (at: number): number => TOP + (1 - at) * (HEIGHT - TOP - BOTTOM);
  const first = series[0]?.points ?? [];
  const step = Math.max(1, Math.ceil(first.length / 6));
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {TICKS_Y.map((at) => (
        <Fragment key={at}>
          <line class="grid-line" x1={LEFT} x2={WIDTH - RIGHT} y1={y(at)} y2={y(at)} />
          <text class="tick" x={LEFT - 6} y={y(at) + 4} text-anchor="end">
            {showY(at)}
          </text>
        </Fragment>
      ))}
      {first
        .filter((_, at) => at % step === 0)
        .map(([at]) => (
          <text key={at} class="tick" x={x(at)} y={HEIGHT - BOTTOM + 15} text-anchor="middle">
            {showX(at)}
          </text>
        ))}
      <text class="tick" x={WIDTH - RIGHT} y={HEIGHT - 4} text-anchor="end">
        {nameX}
      </text>
      {bars.map(({ at, name }) => (
        <Fragment key={name}>
          <line class="bar" x1={x(at)} x2={x(at)} y1={TOP} y2={HEIGHT - BOTTOM} />
          <text class="bar-name" x={x(at) + 4} y={TOP - 4}>
            {name}
          </text>
        </Fragment>
      ))}
      {series.map(({ name, points }, at) => (
        <g key={name} class={at === 0 ? 'curve first' : 'curve second'}>
          <polyline points={points.map(([px, py]) => `${x(px)},${y(py)}`).join(' ')} />
          {points.length <= 12 && points.map(([px, py]) => <circle key={px} cx={x(px)} cy={y(py)} r={3} />)}
        </g>
      ))}
    </svg>
  );
}
