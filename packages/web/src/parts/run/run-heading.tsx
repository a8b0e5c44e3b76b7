import type { EvalReport, TaskFacets } from '@touchstone/protocol';
import type { EvalRunSnapshot } from '@touchstone/sdk';
import {
  chance,
  duration,
  inconclusiveWords,
  regressionWords,
  signed,
  score as twoDigits,
  usd,
} from '@touchstone/sdk/view';
import { type Address, navigate, withQuery } from '../../address.js';
import { HistogramMark } from '../../marks/histogram.js';
import { IntervalMark } from '../../marks/interval.js';
import { hasScore } from '../../run-words.js';
import { SmallestDrop } from '../compare/smallest-drop.js';
import { RunTitle } from './run-title.js';

type HeadingProps = {
  readonly run: EvalRunSnapshot;
  readonly report: EvalReport | undefined;
  readonly facets: TaskFacets | undefined;
  readonly address: Address;
  readonly reload: () => void;
};

/** What a run came to: the score with its interval, what changed, how long it took and what it cost. */
export const RunHeading = ({ run, report, facets, address, reload }: HeadingProps) => (
  <RunTitle run={run} part="Tasks" isWorse={report?.regression?.verdict === 'fail'} reload={reload}>
    {report ? <Figures report={report} facets={facets} address={address} /> : <SnapshotFigures run={run} />}
  </RunTitle>
);

/** The score as the snapshot of the run says it, until the report is here; as high as that, so that nothing moves when it comes. */
const SnapshotFigures = ({ run: { status, touchstone } }: Pick<HeadingProps, 'run'>) => {
  if (status !== 'completed' || !touchstone.headline) return null;
  const { aggregateScore, taskCount, unscored } = touchstone.headline;
  return (
    <div class="figures" aria-busy="true">
      <div class="figure">
        <span class="big">{hasScore({ all: taskCount, unscored }) ? aggregateScore.toFixed(3) : '–'}</span>
      </div>
    </div>
  );
};

/** A verdict that chance alone could have turned. It stands among the figures, which have room for it before it is known. */
const Doubt = ({ report }: { readonly report: EvalReport }) => {
  const words = report.tasks.unscored === 0 ? inconclusiveWords(report) : undefined;
  return words === undefined ? null : <p class="figure muted doubt">{words}</p>;
};

function Figures({
  report,
  facets,
  address,
}: Omit<HeadingProps, 'run' | 'report' | 'reload'> & { readonly report: EvalReport }) {
  const { aggregate, regression, latency, cost, tasks } = report;
  const { score, interval, bar } = aggregate;
  const isScored = hasScore({ all: tasks.selected, unscored: tasks.unscored });
  const chooseTime = (from: number, to: number): void =>
    navigate(withQuery(address, { minMs: String(from), maxMs: String(to) }));
  return (
    <div class="figures">
      <div class="figure">
        <span class="big" data-testid="score" data-value={score}>
          {isScored ? score.toFixed(3) : '–'}
        </span>
        <div>
          {isScored && (
            <IntervalMark value={score} interval={interval} bar={bar} baseline={regression?.baseline.score} />
          )}
          <p class="muted">
            <span class="gold">bar {twoDigits(bar)}</span>
            {regression && ` · baseline ${twoDigits(regression.baseline.score)}`}
          </p>
        </div>
      </div>
      {regression && (
        <div class="figure" title={regressionWords(regression)}>
          <span class={regression.verdict === 'fail' ? 'worse strong' : 'strong'}>
            {signed(regression.scoreDelta)}
          </span>
          <span class="muted"> p {chance(regression.pValue)}</span>
          <SmallestDrop regression={regression} />
        </div>
      )}
      <div class="figure">
        <span class="strong">{duration(latency.p50Ms)}</span>
        <span class="muted"> / {duration(latency.p95Ms)} p95</span>
        {facets && (
          <HistogramMark
            histogram={facets.histograms.timeMs}
            name="Time"
            show={duration}
            onChoose={chooseTime}
          />
        )}
      </div>
      {isPriced(cost) && (
        <div class="figure">
          <span class="strong">{cost.agentUsd === undefined ? '–' : usd(cost.agentUsd)}</span>
          {cost.judgeUsd !== undefined && <span class="muted"> + {usd(cost.judgeUsd)} judge</span>}
          <p class="muted">{cost.unpriced ? `${cost.unpriced} calls of unknown price` : 'cost'}</p>
        </div>
      )}
      <Doubt report={report} />
    </div>
  );
}

/** An agent that calls no model through the host has no known cost, and no figure either. */
const isPriced = ({ agentUsd, judgeUsd, unpriced = 0 }: EvalReport['cost']): boolean =>
  agentUsd !== undefined || judgeUsd !== undefined || unpriced > 0;
