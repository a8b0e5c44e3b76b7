import type { HistoryPoint, SuiteHistory } from '@touchstone/protocol';
import { duration, percent, range, score, signed, usd } from '@touchstone/sdk/view';
import { navigate, useAddress } from '../../address.js';
import { HistoryMark, type Measure } from '../../marks/history.js';
import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';
import { ErrorBox } from '../error-box.js';
import { Empty, Skeleton } from '../states.js';
import { Toggles } from '../toggles.js';

const MEASURES: { readonly [name: string]: Measure } = {
  score: { name: 'Score', amountOf: (point) => point.score, show: score, isShare: true },
  passRate: { name: 'Pass rate', amountOf: (point) => point.passRate, show: percent, isShare: true },
  cost: { name: 'Cost', amountOf: (point) => point.costUsd, show: usd, isShare: false },
  p95: { name: 'p95', amountOf: (point) => point.p95Ms, show: duration, isShare: false },
};
const CHOICES = [
  [undefined, 'Score'],
  ['passRate', 'Pass rate'],
  ['cost', 'Cost'],
  ['p95', 'Time p95'],
] as const;
const AXES = [
  [undefined, 'By run'],
  ['time', 'By time'],
] as const;
const FORMS = [
  [undefined, 'Chart'],
  ['table', 'As a table'],
] as const;

/** How the runs of a suite went, over time. */
export function SuiteHistoryView({ suiteRef }: { readonly suiteRef: string }) {
  const address = useAddress();
  const agentId = address.query.get('agentId');
  const { data, error, reload } = useQuery(`history ${suiteRef} ${agentId}`, (signal) =>
    client.suites.history(suiteRef, { ...(agentId !== null && { agentId }) }, { signal }),
  );
  if (error !== undefined) return <ErrorBox error={error} onRetry={reload} />;
  if (!data) return <Skeleton />;
  const [suiteId] = suiteRef.split('@');
  if (data.points.length === 0)
    return (
      <Empty command={`touchstone run ${suiteId} --host ${location.origin}`}>
        No run of this suite has completed yet. This command makes one:
      </Empty>
    );
  const agents = [...new Set(data.points.map((point) => point.agentId))];
  return (
    <>
      <div class="filters">
        <Toggles address={address} name="measure" label="Measure" choices={CHOICES} />
        <Toggles address={address} name="axis" label="Axis" choices={AXES} />
        <Toggles address={address} name="form" label="Form" choices={FORMS} />
        {(agents.length > 1 || agentId !== null) && (
          <Toggles
            address={address}
            name="agentId"
            label="Agent"
            choices={[[undefined, 'All agents'], ...agents.map((one) => [one, one] as const)]}
          />
        )}
      </div>
      <History history={data} />
    </>
  );
}

function History({ history }: { readonly history: SuiteHistory }) {
  const { query } = useAddress();
  const measure = MEASURES[query.get('measure') ?? 'score'] ?? (MEASURES.score as Measure);
  const isKnown = history.points.some((point) => measure.amountOf(point) !== undefined);
  if (query.get('form') === 'table') return <HistoryTable history={history} />;
  if (!isKnown) return <Empty>No run of this suite says its {measure.name.toLowerCase()}.</Empty>;
  return (
    <>
      <HistoryMark
        history={history}
        measure={measure}
        isByTime={query.get('axis') === 'time'}
        describe={describe}
        onOpen={({ runId }) => navigate(`/runs/${runId}`)}
      />
      <p class="history-legend muted">
        <span class="gold">◆</span> blessed · <span class="worse">■</span> failed or worse than its baseline ·
        ┊ new version of the agent · whiskers: 95 %
      </p>
    </>
  );
}

const verdictOf = ({ verdict, regression }: HistoryPoint): string => {
  if (verdict === 'error') return 'not judged';
  return verdict === 'pass' && regression?.verdict === 'fail' ? 'regression' : verdict;
};

/** Everything that is known of a run, in one sentence. */
const describe = (point: HistoryPoint): string =>
  [
    `${point.agentId}@${point.agentVersion}`,
    `${score(point.score)}${point.interval ? ` (${range(point.interval)})` : ''}`,
    verdictOf(point),
    `${percent(point.passRate)} passed`,
    ...(point.regression ? [`${signed(point.regression.scoreDelta)} against its baseline`] : []),
    ...(point.costUsd === undefined ? [] : [usd(point.costUsd)]),
    ...(point.p95Ms === undefined ? [] : [`p95 ${duration(point.p95Ms)}`]),
    ...(point.blessed ? ['blessed'] : []),
    `suite ${point.suiteVersion}`,
    dayOf(point),
  ].join(' · ');

const dayOf = ({ endedAt }: HistoryPoint): string => endedAt.slice(0, 16).replace('T', ' ');

const HistoryTable = ({ history }: { readonly history: SuiteHistory }) => (
  <section class="table-box" aria-label="History as a table">
    <table class="plain">
      <thead>
        <tr>
          {['Ended (UTC)', 'Agent', 'Suite', 'Verdict'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
          {['Score', '95 %', 'Passed', 'Change', 'Cost', 'p95'].map((name) => (
            <th key={name} scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {history.points.toReversed().map((point) => (
          <tr key={point.runId} data-run={point.runId}>
            <td>
              <a href={`/runs/${point.runId}`}>{dayOf(point)}</a>
            </td>
            <td>
              {point.blessed && <span class="gold">◆ </span>}
              {point.agentId}@{point.agentVersion}
            </td>
            <td>{point.suiteVersion}</td>
            <td>{verdictOf(point)}</td>
            <td class="number">{score(point.score)}</td>
            <td class="number">{point.interval && range(point.interval)}</td>
            <td class="number">{percent(point.passRate)}</td>
            <td class="number">{point.regression && signed(point.regression.scoreDelta)}</td>
            <td class="number">{point.costUsd !== undefined && usd(point.costUsd)}</td>
            <td class="number">{point.p95Ms !== undefined && duration(point.p95Ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
