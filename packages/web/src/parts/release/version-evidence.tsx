import type { RunId } from '@touchstone/protocol';
import { score } from '@touchstone/sdk/view';
import { IntervalMark } from '../../marks/interval.js';
import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';

/** What the run has shown that a version was let in by. */
export function VersionEvidence({ runId }: { readonly runId: RunId }) {
  const { data, error } = useQuery(`report ${runId}`, (signal) => client.runs.report(runId, { signal }));
  const link = (
    <a href={`/runs/${encodeURIComponent(runId)}`} title={`Run ${runId}`}>
      {data ? data.suite.ref : runId}
    </a>
  );
  if (!data) return <span class="evidence">{error === undefined ? '' : link}</span>;
  const { score: mean, interval, bar } = data.aggregate;
  return (
    <span class="evidence">
      <span class="strong">{score(mean)}</span>
      <IntervalMark value={mean} interval={interval} bar={bar} width={120} />
      {link}
    </span>
  );
}
