import type { StoreTimes } from '../store/index.js';

/** Counts of durations up to each of some bounds, as Prometheus reads them. */
type Histogram = {
  observe(ms: number, labels?: string): void;
  render(): string;
};

const BOUNDS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30];

/** Counted here and not by the library of the metrics, which is loaded when somebody asks: the store is called before. */
function createHistogram(name: string, help: string): Histogram {
  const series = new Map<string, { readonly counts: number[]; sum: number; count: number }>();
  const lines = (
    labels: string,
    { counts, sum, count }: { counts: number[]; sum: number; count: number },
  ) => {
    const before = labels === '' ? '' : `${labels},`;
    const own = labels === '' ? '' : `{${labels}}`;
    return [
      ...BOUNDS.map((bound, at) => `${name}_bucket{${before}le="${bound}"} ${counts[at]}`),
      `${name}_bucket{${before}le="+Inf"} ${count}`,
      `${name}_sum${own} ${sum}`,
      `${name}_count${own} ${count}`,
    ];
  };
  return {
    observe(ms, labels = '') {
      const seconds = ms / 1000;
      const one = series.get(labels) ?? { counts: BOUNDS.map(() => 0), sum: 0, count: 0 };
      series.set(labels, one);
      one.sum += seconds;
      one.count += 1;
      for (let at = BOUNDS.length - 1; at >= 0 && seconds <= (BOUNDS[at] as number); at -= 1)
        one.counts[at] = (one.counts[at] as number) + 1;
    },
    render: () =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} histogram`,
        ...[...series].flatMap(([labels, one]) => lines(labels, one)),
        '',
      ].join('\n'),
  };
}

/** How long the store takes, counted for metrics. */
export type CountedStoreTimes = StoreTimes & {
  /** In the format of Prometheus. */
  render(): string;
};

const [READ, WRITE] = ['kind="read"', 'kind="write"'];

export function createStoreTimes(): CountedStoreTimes {
  const calls = createHistogram(
    'touchstone_store_seconds',
    'Time until the store answered a read, or had made a write durable.',
  );
  const lag = createHistogram(
    'touchstone_append_lag_seconds',
    'Time from the end of a task until its result was durable in the log of its run.',
  );
  return {
    called: (kind, ms) => calls.observe(ms, kind === 'read' ? READ : WRITE),
    appended: (ms) => lag.observe(Math.max(0, ms)),
    render: () => `${calls.render()}\n${lag.render()}`,
  };
}
