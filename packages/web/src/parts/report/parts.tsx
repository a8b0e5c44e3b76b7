import type { ContractReport, EvalReport, ReportedGate } from '@touchstone/protocol';
import {
  contractWords,
  correctedWords,
  duration,
  keptWords,
  metWords,
  percent,
  plural,
  range,
  regressionWords,
  requiredWords,
  score,
  signed,
  usd,
  whole,
} from '@touchstone/sdk/view';
import { ChangeMark } from '../../marks/change.js';
import { IntervalMark } from '../../marks/interval.js';
import { ShareInterval } from '../../marks/share-interval.js';
import { hasScore } from '../../run-words.js';
import { Section } from '../section.js';
import { Table } from '../table.js';

type ReportProps = { readonly report: EvalReport };
type LinkedProps = ReportProps & { readonly runId: string };

/** A list of tasks of the run, filtered. */
const tasksHref = (runId: string, name: string, value: string): string =>
  `/runs/${encodeURIComponent(runId)}?${name}=${encodeURIComponent(value)}`;

/** The whole run in two numbers, each with its interval. */
export function Score({ report: { aggregate, regression, tasks } }: ReportProps) {
  const { score: value, interval, passRate, passRateInterval, bar } = aggregate;
  if (!hasScore({ all: tasks.selected, unscored: tasks.unscored }))
    return (
      <Section name="Score">
        <p class="big" data-testid="score" data-value={value}>
          –
        </p>
        <p class="note">None of {plural(tasks.selected, 'task')} could be scored.</p>
      </Section>
    );
  return (
    <Section name="Score">
      <p class="figure-line">
        <span class="big" data-testid="score" data-value={value}>
          {value.toFixed(3)}
        </span>
        <IntervalMark value={value} interval={interval} bar={bar} baseline={regression?.baseline.score} />
        <span class="muted">
          95 % interval {range(interval)}, bar {score(bar)}
        </span>
      </p>
      <p class="figure-line">
        <span class="big">{percent(passRate)}</span>
        <ShareInterval name="Pass rate" value={passRate} interval={passRateInterval} />
        <span class="muted">
          {whole(tasks.passed)} of {plural(tasks.selected, 'task')} passed, 95 % interval{' '}
          {percent(passRateInterval[0])} to {percent(passRateInterval[1])}
        </span>
      </p>
      {tasks.unscored > 0 && (
        <p class="note">
          {plural(tasks.unscored, 'task')} could not be scored: the interval reaches from all of them at 0 to
          all at 1.
        </p>
      )}
    </Section>
  );
}

/** What people would have scored, where enough of them labelled answers. */
export function JudgeError({ report }: ReportProps) {
  const { corrected } = report;
  if (!corrected) return null;
  return (
    <Section name="With the error of the judge">
      <p data-testid="corrected" data-value={corrected.score}>
        {correctedWords(report)}
      </p>
    </Section>
  );
}

/** Both results, where people have corrected scores. */
export function Corrections({ runId, report: { adjusted, aggregate } }: LinkedProps) {
  if (!adjusted) return null;
  return (
    <Section name="With the corrections of people">
      <p data-testid="adjusted" data-value={adjusted.score}>
        Measured <span class="strong">{aggregate.score.toFixed(3)}</span>, corrected{' '}
        <span class="strong">{adjusted.score.toFixed(3)}</span>: with the corrections the run{' '}
        {adjusted.passed ? 'passes' : 'does not pass'}. The verdict stays what was measured.
      </p>
      <Table
        label="Corrections"
        head={['Task', 'Measured', 'Corrected', 'By']}
        rows={adjusted.overrides.map(({ taskId, before, after, by }) => [
          <a
            key="task"
            class="id"
            href={`/runs/${encodeURIComponent(runId)}/tasks/${encodeURIComponent(taskId)}`}
          >
            {taskId}
          </a>,
          score(before.score),
          score(after.score),
          by,
        ])}
      />
    </Section>
  );
}

/** Whether the run is worse than the one it is held against. */
export function Comparison({ runId, report: { regression } }: LinkedProps) {
  if (!regression) return null;
  const { baseline, baselineRunId, scoreDelta, interval, tolerance, toFail, toPass } = regression;
  return (
    <Section name="Compared with the baseline">
      <p class={regression.verdict === 'fail' ? 'sentence fail' : 'sentence'}>
        {regressionWords(regression)}
      </p>
      <p class="figure-line">
        <ChangeMark value={scoreDelta} interval={interval} tolerance={tolerance} />
        <span class="muted">
          {signed(interval[0])} to {signed(interval[1])}
        </span>
      </p>
      <p class="muted">
        {whole(toFail.length)} now fail, {whole(toPass.length)} now pass. Baseline{' '}
        <a href={`/runs/${encodeURIComponent(baselineRunId)}`}>
          {baseline.agent.agentId}@{baseline.agent.version}
        </a>{' '}
        scored {score(baseline.score)}.{' '}
        <a href={`/compare?runs=${encodeURIComponent(baselineRunId)},${encodeURIComponent(runId)}`}>
          Compare the tasks
        </a>
      </p>
    </Section>
  );
}

/** Criteria by their ids: what they say is content, and stands with the tasks. */
export function Criteria({ runId, report: { criteria = [] } }: LinkedProps) {
  if (criteria.length === 0) return null;
  return (
    <Section name="Criteria">
      <Table
        label="Criteria"
        head={['Criterion', 'Met', 'Tasks', 'Weight', 'Votes agree']}
        rows={criteria.map(({ id, applicable, met, weight, agreement }) => [
          <a key="id" class="id" href={tasksHref(runId, 'criterion', id)}>
            {id}
          </a>,
          percent(met),
          whole(applicable),
          weight.toFixed(2),
          agreement === undefined ? '–' : percent(agreement),
        ])}
      />
    </Section>
  );
}

/** Looked at after the fact, so no verdict can rest on them. */
export function Slices({ runId, report: { slices = [] } }: LinkedProps) {
  if (slices.length === 0) return null;
  return (
    <Section name="Slices" beside={<span class="muted">exploratory: no verdict rests on them</span>}>
      <Table
        label="Slices"
        head={['Slice', 'Passed', 'Interval', 'Tasks', 'Score', 'Change']}
        rows={slices.map(({ name, tasks, score: value, passRate, passRateInterval, scoreDelta }) => [
          <a key="name" href={tasksHref(runId, 'slice', name)}>
            {name}
          </a>,
          percent(passRate),
          <ShareInterval key="interval" name={name} value={passRate} interval={passRateInterval} />,
          whole(tasks),
          score(value),
          scoreDelta === undefined ? '–' : signed(scoreDelta),
        ])}
      />
    </Section>
  );
}

/** What the safety checks found, by kind. */
export function Findings({ runId, report: { findings = [] } }: LinkedProps) {
  if (findings.length === 0) return null;
  return (
    <Section name="Findings">
      <Table
        label="Findings"
        head={['Finding', 'Severity', 'Tasks']}
        rows={findings.map(({ kind, severity, tasks }) => [
          <a key="kind" href={tasksHref(runId, 'finding', kind)}>
            {kind}
          </a>,
          <span key="severity" class={`severity ${severity}`}>
            {severity}
          </span>,
          whole(tasks),
        ])}
      />
    </Section>
  );
}

/** Whose model calls cost what, and how long tasks took. */
export function Costs({ report: { cost, judge, latency, cacheHits } }: ReportProps) {
  const known = (amount: number | undefined): string => (amount === undefined ? 'not known' : usd(amount));
  return (
    <Section name="Cost and time">
      <Table
        label="Cost and time"
        head={['What', 'Value']}
        rows={[
          ['Agent', known(cost.agentUsd)],
          ...(judge || cost.judgeUsd !== undefined ? [['Judge', known(cost.judgeUsd)]] : []),
          ...(cost.simulatedUserUsd === undefined ? [] : [['Simulated user', usd(cost.simulatedUserUsd)]]),
          ...(cost.unpriced ? [['Calls of unknown price', whole(cost.unpriced)]] : []),
          ...(cacheHits ? [['Calls from the cache', whole(cacheHits)]] : []),
          ['Median time', duration(latency.p50Ms)],
          ['95th percentile', duration(latency.p95Ms)],
          ['Slowest task', duration(latency.maxMs)],
        ]}
      />
    </Section>
  );
}

/** Whether the agent keeps its contract, gate by gate. */
export function Contract({ contract }: { readonly contract: ContractReport }) {
  const words = contractWords(contract);
  return (
    <Section name="Contract">
      <p class="strong">{keptWords(contract.verdict, contract.summary.passed)}</p>
      {words !== undefined && <p class="note">{words}</p>}
      <Table
        label="Gates of the contract"
        head={['Criterion', 'Met', 'Required', 'Status']}
        rows={contract.criteria.map((gate: ReportedGate) => [
          <span key="id">
            {gate.id} {!gate.strict && <span class="muted">advisory</span>}
          </span>,
          metWords(gate),
          requiredWords(gate),
          <span key="status" class={gate.status === 'fail' ? 'worse' : ''}>
            {gate.status}
          </span>,
        ])}
      />
    </Section>
  );
}
