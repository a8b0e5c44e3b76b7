import { type ContractReport, isTerminal } from '@touchstone/protocol';
import type { EvalRunSnapshot } from '@touchstone/sdk';
import { useEffect } from 'preact/hooks';
import { useAddress } from '../address.js';
import { ErrorBox } from '../parts/error-box.js';
import {
  Comparison,
  Contract,
  Corrections,
  Costs,
  Criteria,
  Findings,
  JudgeError,
  Score,
  Slices,
} from '../parts/report/parts.js';
import { Power } from '../parts/report/power.js';
import { Repeats, Spread } from '../parts/report/spread.js';
import { RunTitle } from '../parts/run/run-title.js';
import { Empty, Skeleton } from '../parts/states.js';
import { EvalRunOf } from '../queries/use-eval-run.js';
import { useQuery } from '../queries/use-query.js';
import { client } from '../source.js';
import '../styles/report.css';

export const ReportPage = ({ runId }: { readonly runId: string }) => (
  <EvalRunOf runId={runId}>{(run, reload) => <Report run={run} reload={reload} />}</EvalRunOf>
);

function Report({ run, reload }: { readonly run: EvalRunSnapshot; readonly reload: () => void }) {
  const { runId, status, touchstone } = run;
  const against = useAddress().query.get('against') ?? undefined;
  const isDone = status === 'completed';
  const report = useQuery(isDone ? `report ${runId} ${against}` : undefined, (signal) =>
    client.runs.report(runId as never, {
      signal,
      ...(against !== undefined && { against: against as never }),
    }),
  );
  const facets = useQuery(`facets ${runId} ${against}`, (signal) =>
    client.runs.facets(runId as never, against === undefined ? {} : { against: against as never }, {
      signal,
    }),
  );
  const hasContract = isDone && touchstone.contract !== undefined;
  const contract = useQuery<ContractReport>(hasContract ? `contract ${runId}` : undefined, (signal) =>
    client.runs.contractReport(runId as never, { signal }),
  );
  useEffect(() => {
    document.title = `Report · ${touchstone.agent.agentId}@${touchstone.agent.version} · Touchstone`;
  }, [touchstone.agent]);
  const { data } = report;
  return (
    <>
      <RunTitle run={run} part="Report" isWorse={data?.regression?.verdict === 'fail'} reload={reload} />
      {report.error !== undefined && <ErrorBox error={report.error} onRetry={report.reload} />}
      {!isDone && (
        <Empty command={`touchstone show ${runId}`}>
          {isTerminal(status)
            ? `The run ended as ${status}, so it has no report.`
            : `The run is ${status}. Its report exists when it has completed.`}
        </Empty>
      )}
      {isDone && !data && report.error === undefined && <Skeleton />}
      {data && (
        <div class="report">
          <Score report={data} />
          <Comparison runId={runId} report={data} />
          <Corrections runId={runId} report={data} />
          <JudgeError report={data} />
          {contract.data && <Contract contract={contract.data} />}
          <Power report={data} />
          <Repeats report={data} />
          {facets.data && <Spread runId={runId} facets={facets.data} />}
          <Slices runId={runId} report={data} />
          <Criteria runId={runId} report={data} />
          <Findings runId={runId} report={data} />
          <Costs report={data} />
        </div>
      )}
    </>
  );
}
