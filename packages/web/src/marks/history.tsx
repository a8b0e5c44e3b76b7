import type { HistoryPoint, SuiteHistory } from '@touchstone/protocol';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** What a chart of a suite's history shows of each run. */
export type Measure = {
  readonly name: string;
  readonly amountOf: (point: HistoryPoint) => number | undefined;
  readonly show: (value: number) => string;
  /** Scores end at 1, and have bars and intervals. */
  readonly isShare: boolean;
};

type HistoryProps = {
  readonly history: SuiteHistory;
  readonly measure: Measure;
  /** Whether the places say when a run ended, or only in which order. */
  readonly isByTime: boolean;
  readonly onOpen: (point: HistoryPoint) => void;
  readonly describe: (point: HistoryPoint) => string;
};

const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [260, 52, 116, 14, 30];
/** Of a point that can be hit with a finger. */
const POINT = 24;
const EDGE = 14;

/** How runs of a suite went, oldest first, with whiskers; blessed runs are gold, failed ones squares. */
export function HistoryMark({ history, measure, isByTime, onOpen, describe }: HistoryProps) {
  const points = history.points.filter((point) => measure.amountOf(point) !== undefined);
  const [active, setActive] = useState(-1);
  const scroll = useRef<HTMLDivElement>(null);
  const width = Math.max(useWidth(scroll), LEFT + RIGHT + 2 * EDGE + points.length * POINT);
  const x = xScale(points, isByTime, width);
  const y = yScale(points, history, measure);
  const shown = points[active];
  // The newest runs stand at the right, and are what people come for.
  useLayoutEffect(() => scroll.current?.scrollTo({ left: width }), [width]);
  return (
    <figure class="history">
      <div class="history-scroll" ref={scroll}>
        <div class="history-plot" style={{ width: `${width}px` }}>
          <Plot
            history={history}
            points={points}
            measure={measure}
            x={x}
            y={y}
            width={width}
            active={active}
          />
          <Axis y={y} measure={measure} />
          {points.map((point, at) => (
            <button
              key={point.runId}
              type="button"
              class="history-point"
              style={{ left: `${x(at)}px` }}
              aria-label={describe(point)}
              data-run={point.runId}
              onMouseEnter={() => setActive(at)}
              onFocus={() => setActive(at)}
              onClick={() => onOpen(point)}
            />
          ))}
        </div>
      </div>
      <figcaption>{shown ? describe(shown) : 'Point at a run to read it; click to open it.'}</figcaption>
    </figure>
  );
}

/** Of an element, in pixels, while it is shown. */
function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const look = (): void => setWidth(box.current?.clientWidth ?? 0);
    look();
    const watcher = new ResizeObserver(look);
    if (box.current) watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  return width;
}

type PlotProps = Pick<HistoryProps, 'history' | 'measure'> & {
  readonly points: readonly HistoryPoint[];
  readonly x: (at: number) => number;
  readonly y: Scale;
  readonly width: number;
  readonly active: number;
};

function Plot({ history, points, measure, x, y, width, active }: PlotProps) {
  const heightOf = (point: HistoryPoint): number => y.at(measure.amountOf(point) ?? 0);
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={sentenceOf(points, measure)}>
      {y.ticks.map((value) => (
        <line key={value} class="axis" x1={LEFT} x2={width - RIGHT} y1={y.at(value)} y2={y.at(value)} />
      ))}
      <VersionLines points={points} x={x} />
      {measure.isShare && <Bars history={history} points={points} at={y.at} width={width} />}
      <polyline class="trend" points={points.map((point, at) => `${x(at)},${heightOf(point)}`).join(' ')} />
      {points.map((point, at) => (
        <Point
          key={point.runId}
          point={point}
          x={x(at)}
          measure={measure}
          at={y.at}
          isActive={at === active}
        />
      ))}
    </svg>
  );
}

/** What heights mean. It stays in sight while the rest is scrolled. */
const Axis = ({ y, measure }: Pick<PlotProps, 'y' | 'measure'>) => (
  <svg class="history-axis" viewBox={`0 0 ${LEFT} ${HEIGHT}`} aria-hidden="true">
    {y.ticks.map((value) => (
      <text key={value} class="tick-label" x={LEFT - 8} y={y.at(value) + 4} text-anchor="end">
        {measure.show(value)}
      </text>
    ))}
  </svg>
);

/** Shares are marked where two decimals tell them whole. */
const stepOf = (range: number): number => [0.05, 0.1, 0.2].find((step) => range / step <= 6) ?? 0.2;

type Scale = { readonly at: (value: number) => number; readonly ticks: readonly number[] };

/** From below everything that matters; a scale of shares ends at 1. */
function yScale(
  points: readonly HistoryPoint[],
  { gates }: SuiteHistory,
  { amountOf, isShare }: Measure,
): Scale {
  const values = points.flatMap((point) => amountOf(point) ?? []);
  const lows = points.flatMap(({ interval, bar }) => [interval?.[0] ?? bar, bar]);
  const required = gates.flatMap(({ requiredPassScore }) => requiredPassScore ?? []);
  const least = isShare ? Math.min(...values, ...lows, ...required) : 0;
  const from = Math.max(0, Math.floor((least - 0.02) * 10) / 10);
  const to = isShare ? 1 : Math.max(1e-9, ...values) * 1.1;
  const at = (value: number): number => TOP + ((to - value) / (to - from)) * (HEIGHT - TOP - BOTTOM);
  const step = isShare ? stepOf(to - from) : (to - from) / 4;
  const steps = Math.floor((to - from) / step + 1e-9);
  return { at, ticks: Array.from({ length: steps + 1 }, (_, place) => to - place * step) };
}

function xScale(points: readonly HistoryPoint[], isByTime: boolean, width: number): (at: number) => number {
  const times = points.map(({ endedAt }) => Date.parse(endedAt));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const room = width - LEFT - RIGHT - 2 * EDGE;
  const shareOf = (at: number): number => {
    if (isByTime && last > first) return ((times[at] ?? first) - first) / (last - first);
    return points.length < 2 ? 0.5 : at / (points.length - 1);
  };
  return (at) => LEFT + EDGE + shareOf(at) * room;
}

/** Where the agent's version changed. Names that would lie over each other are left out. */
function VersionLines({
  points,
  x,
}: {
  readonly points: readonly HistoryPoint[];
  readonly x: (at: number) => number;
}) {
  let free = 0;
  return (
    <>
      {points.map(({ runId, agentVersion }, at) => {
        const isNew = points[at - 1]?.agentVersion !== agentVersion;
        if (!isNew) return null;
        const left = x(at) - (at === 0 ? EDGE : 4);
        const hasRoom = left >= free;
        if (hasRoom) free = left + agentVersion.length * 7 + 10;
        return (
          <g key={runId}>
            {at > 0 && <line class="version" x1={left} x2={left} y1={TOP} y2={HEIGHT - BOTTOM} />}
            {hasRoom && (
              <text class="tick-label" x={left + 3} y={HEIGHT - 10}>
                {agentVersion}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

type BarsProps = {
  readonly history: SuiteHistory;
  readonly points: readonly HistoryPoint[];
  readonly at: (value: number) => number;
  readonly width: number;
};

/** What runs are measured against: the bar of the suite, and the scores that gates ask for. */
function Bars({ history, points, at, width }: BarsProps) {
  const bar = points.at(-1)?.bar;
  const line = (key: string, value: number, name: string, kind: string) => (
    <g key={key}>
      <line class={kind} x1={LEFT} x2={width - RIGHT} y1={at(value)} y2={at(value)} />
      <text class="bar-label" x={width - RIGHT + 6} y={at(value) + 4}>
        {name}
      </text>
    </g>
  );
  return (
    <>
      {bar !== undefined && line('bar', bar, `bar ${bar.toFixed(2)}`, 'bar')}
      {history.gates.map(
        ({ gateId, requiredPassScore }) =>
          requiredPassScore !== undefined &&
          requiredPassScore !== bar &&
          line(gateId, requiredPassScore, `gate ${gateId} ${requiredPassScore.toFixed(2)}`, 'gate'),
      )}
    </>
  );
}

type PointProps = {
  readonly point: HistoryPoint;
  readonly x: number;
  readonly measure: Measure;
  readonly at: (value: number) => number;
  readonly isActive: boolean;
};

function Point({ point, x, measure, at, isActive }: PointProps) {
  const y = at(measure.amountOf(point) ?? 0);
  const { interval, blessed, verdict, regression } = point;
  const isBad = verdict === 'fail' || regression?.verdict === 'fail';
  return (
    <g class={isActive ? 'point-group active' : 'point-group'}>
      {measure.name === 'Score' && interval && (
        <path
          class="whisker"
          d={`M${x - 3} ${at(interval[1])}h6M${x} ${at(interval[1])}V${at(interval[0])}M${x - 3} ${at(interval[0])}h6`}
        />
      )}
      {blessed && <path class="blessed" d={`M${x} ${y - 8}l8 8-8 8-8-8z`} />}
      {isBad ? (
        <rect class="failed" x={x - 4} y={y - 4} width={8} height={8} />
      ) : (
        <circle class={verdict === 'error' ? 'unscored' : 'point'} cx={x} cy={y} r={4} />
      )}
    </g>
  );
}

function sentenceOf(points: readonly HistoryPoint[], { name, amountOf, show }: Measure): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return `${name}: no run.`;
  const [from, to] = [amountOf(first) ?? 0, amountOf(last) ?? 0];
  return `${name} over ${points.length} runs, from ${show(from)} to ${show(to)}.`;
}
