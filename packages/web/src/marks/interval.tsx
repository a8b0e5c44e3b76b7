import { range, score, signed } from '@touchstone/sdk/view';

type IntervalProps = {
  readonly value: number;
  readonly interval: readonly [number, number];
  readonly bar?: number | undefined;
  readonly baseline?: number | undefined;
  readonly width?: number;
  /** What it is the interval of. */
  readonly name?: string;
};

/** So much of the scale is shown, so that a narrow interval is not a dot: from below everything that matters to 1. */
function scaleOf({ value, interval, bar = value, baseline = value }: IntervalProps): (at: number) => number {
  const least = Math.min(interval[0], bar, baseline);
  const from = Math.max(0, Math.floor((least - 0.05) * 10) / 10);
  return (at) => (at - from) / (1 - from);
}

/** A score with the interval it could as well lie in, the bar in gold and the baseline dashed. */
export function IntervalMark(props: IntervalProps) {
  const { value, interval, bar, baseline, width = 220 } = props;
  const scale = scaleOf(props);
  const x = (at: number): number => 4 + scale(at) * (width - 8);
  const [low, high] = interval;
  return (
    <svg
      class="interval"
      width={width}
      height={28}
      viewBox={`0 0 ${width} 28`}
      role="img"
      aria-label={sentenceOf(props)}
      data-testid="interval"
      data-low={low}
      data-high={high}
      data-bar={bar}
      data-baseline={baseline}
    >
      <line class="axis" x1={4} x2={width - 4} y1={14} y2={14} />
      {baseline !== undefined && <line class="baseline" x1={x(baseline)} x2={x(baseline)} y1={3} y2={25} />}
      {bar !== undefined && <line class="bar" x1={x(bar)} x2={x(bar)} y1={3} y2={25} />}
      <path class="whisker" d={`M${x(low)} 9v10M${x(low)} 14H${x(high)}M${x(high)} 9v10`} />
      <circle class="point" cx={x(value)} cy={14} r={4} />
    </svg>
  );
}

function sentenceOf({ value, interval, bar, baseline, name = 'Score' }: IntervalProps): string {
  const parts = [`${name} ${score(value)}, 95 % interval ${range(interval)}`];
  if (bar !== undefined) parts.push(`bar ${score(bar)}`);
  if (baseline !== undefined) parts.push(`baseline ${score(baseline)} (${signed(value - baseline)})`);
  return `${parts.join(', ')}.`;
}
