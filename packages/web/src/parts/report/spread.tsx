import type { EvalReport, TaskFacets } from '@touchstone/protocol';
import { duration, percent, score, signed } from '@touchstone/sdk/view';
import { navigate } from '../../address.js';
import { HistogramMark } from '../../marks/histogram.js';
import { LineChart } from '../../marks/line-chart.js';
import { Section } from '../section.js';
import { AsTable } from '../table.js';

type SpreadProps = { readonly runId: string; readonly facets: TaskFacets };

/** How scores, changes and times lie. A bar leads to its tasks. */
export function Spread({ runId, facets: { histograms } }: SpreadProps) {
  const show = (query: string): void => navigate(`/runs/${encodeURIComponent(runId)}?${query}`);
  const { score: scores, timeMs, change } = histograms;
  return (
    <Section name="Distributions">
      <div class="spreads">
        <Histogram
          name="Score"
          histogram={scores}
          show={score}
          onChoose={(from, to) => show(`minScore=${from}&maxScore=${to}`)}
        />
        {change.counts.length > 0 && (
          <Histogram
            name="Change"
            histogram={change}
            show={signed}
            onChoose={(from) => show(from < 0 ? 'change=toFail,lower' : 'change=toPass,higher,same')}
          />
        )}
        <Histogram
          name="Time"
          histogram={timeMs}
          show={duration}
          onChoose={(from, to) => show(`minMs=${from}&maxMs=${to}`)}
        />
      </div>
    </Section>
  );
}

type HistogramProps = Parameters<typeof HistogramMark>[0];

const Histogram = (props: HistogramProps) => {
  const { edges, counts } = props.histogram;
  if (counts.length === 0) return null;
  return (
    <div class="spread">
      <h3>{props.name}</h3>
      <HistogramMark {...props} />
      <p class="ends muted">
        <span>{props.show(edges[0] ?? 0)}</span>
        <span>{props.show(edges.at(-1) ?? 0)}</span>
      </p>
      <AsTable
        label={`${props.name} by tasks`}
        head={[props.name, 'Tasks']}
        rows={counts.map((count, at) => [
          `${props.show(edges[at] ?? 0)} to ${props.show(edges[at + 1] ?? 0)}`,
          count,
        ])}
      />
    </div>
  );
};

/** How often a task passes when it is tried several times. */
export function Repeats({ report: { repeats } }: { readonly report: EvalReport }) {
  if (!repeats) return null;
  const { k, curve, passAtK, passHatK } = repeats;
  return (
    <Section name={`Repeats: ${k} of each task`}>
      <p>
        At least one of {k} passes: <span class="strong">{percent(passAtK)}</span> (pass@{k}). All {k} pass:{' '}
        <span class="strong">{percent(passHatK)}</span> (pass^{k}).
      </p>
      <LineChart
        label={`pass@k rises to ${percent(passAtK)}, pass^k falls to ${percent(passHatK)} at ${k} repeats.`}
        nameX="repeats"
        showX={String}
        showY={percent}
        series={[
          { name: 'pass@k', points: curve.map(({ j, passAt }) => [j, passAt] as const) },
          { name: 'pass^k', points: curve.map(({ j, passHat }) => [j, passHat] as const) },
        ]}
      />
      <p class="legend muted">
        <span class="first">pass@k</span> <span class="second">pass^k</span>
      </p>
      <AsTable
        label="Chances by repeats"
        head={['Repeats', 'pass@k', 'pass^k']}
        rows={curve.map(({ j, passAt, passHat }) => [j, percent(passAt), percent(passHat)])}
      />
    </Section>
  );
}
