import type { TaskSpan } from '@touchstone/protocol';

const WIDTH = 1_000;
const LEAST = 10;

type SpanMarkProps = {
  readonly span: TaskSpan;
  /** Of the whole time line. */
  readonly totalMs: number;
};

/** When a call was made and how long it took, on the time line of its task. The numbers stand beside it. */
export function SpanMark({ span: { kind, startMs, durationMs, status, untimed }, totalMs }: SpanMarkProps) {
  const scale = WIDTH / Math.max(1, totalMs);
  const isMoment = untimed === true || kind === 'memory';
  const width = isMoment ? LEAST : Math.max(LEAST, durationMs * scale);
  const x = Math.min(WIDTH - width, Math.max(0, startMs * scale));
  const look = [kind, ...(status === 'error' ? ['wrong'] : []), ...(isMoment ? ['moment'] : [])].join(' ');
  return (
    <svg class="waterfall" viewBox={`0 0 ${WIDTH} 16`} preserveAspectRatio="none" aria-hidden="true">
      <line class="axis" x1={0} x2={WIDTH} y1={15.5} y2={15.5} />
      <rect class={look} x={x} y={isMoment ? 1 : 3} width={width} height={isMoment ? 14 : 10} />
    </svg>
  );
}
