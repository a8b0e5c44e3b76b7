import type { Histogram } from '@touchstone/protocol';
import { plural } from '@touchstone/sdk/view';

type HistogramProps = {
  readonly histogram: Histogram;
  readonly name: string;
  readonly show: (value: number) => string;
  /** Chooses one part, from its beginning to its end. */
  readonly onChoose: (from: number, to: number) => void;
};

const HEIGHT = 28;
const WIDTH = 10;

/** How many tasks lie in each part of a range. Each part is a button that keeps the tasks in it. */
export function HistogramMark({ histogram: { edges, counts }, name, show, onChoose }: HistogramProps) {
  const most = Math.max(1, ...counts);
  if (counts.length === 0) return <p class="muted">no task fits these filters</p>;
  return (
    <fieldset class="histogram">
      <legend class="unseen">{name}</legend>
      {counts.map((count, at) => {
        const [from, to] = [edges[at] ?? 0, edges[at + 1] ?? 0];
        const label = `${name} ${show(from)} to ${show(to)}: ${plural(count, 'task')}`;
        const height = count === 0 ? 1 : Math.max(2, Math.round((count / most) * HEIGHT));
        return (
          <button
            key={from}
            type="button"
            title={label}
            aria-label={label}
            onClick={() => onChoose(from, to)}
          >
            <svg
              width={WIDTH}
              height={HEIGHT}
              viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
              preserveAspectRatio="none"
              aria-hidden="true"
            >
              <rect x={1} y={HEIGHT - height} width={WIDTH - 2} height={height} />
            </svg>
          </button>
        );
      })}
    </fieldset>
  );
}
