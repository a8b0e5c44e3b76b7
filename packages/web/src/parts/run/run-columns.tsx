import type { RunSnapshot } from '@touchstone/sdk';
import { duration, score, signed, usd, whole } from '@touchstone/sdk/view';
import { SmallInterval } from '../../marks/small-interval.js';
import { hasScore, verdictOfRun } from '../../run-words.js';
import type { Column } from '../grid/grid.js';
import { LongName } from '../long-name.js';
import { VerdictBadge } from '../verdict.js';
import { When } from '../when.js';

/** A failed run opens with its failures. */
export const hrefOfRun = (run: RunSnapshot): string => {
  const hasFailures = verdictOfRun(run) === 'fail';
  return `/runs/${encodeURIComponent(run.runId)}${hasFailures ? '?outcome=failed' : ''}`;
};

export const nameOfRun = ({ touchstone, workflowId }: RunSnapshot): string =>
  touchstone?.suite?.ref ?? workflowId;

const agentOf = ({ touchstone }: RunSnapshot): string | undefined =>
  touchstone?.agent ? `${touchstone.agent.agentId}@${touchstone.agent.version}` : touchstone?.agentId;

export const RunScore = ({ run: { touchstone } }: { readonly run: RunSnapshot }) => {
  const { aggregateScore: value, interval, taskCount = 0, unscored } = touchstone?.headline ?? {};
  if (value === undefined) return null;
  if (!hasScore({ all: taskCount, unscored })) return <>–</>;
  return (
    <>
      {score(value)} {interval && <SmallInterval value={value} interval={interval} />}
    </>
  );
};

const RunChange = ({ run: { touchstone } }: { readonly run: RunSnapshot }) => {
  const { regression } = touchstone?.headline ?? {};
  if (!regression) return null;
  return (
    <span class={regression.verdict === 'fail' ? 'worse' : undefined}>{signed(regression.scoreDelta)}</span>
  );
};

/** What a list says of each run; a column without a single value would only take room. */
export const runColumns = (runs: readonly RunSnapshot[]): readonly Column<RunSnapshot>[] =>
  COLUMNS.filter(({ id }) => runs.some((run) => HAS_VALUE[id]?.(run) ?? true));

const HAS_VALUE: { readonly [id: string]: (run: RunSnapshot) => boolean } = {
  change: ({ touchstone }) => touchstone?.headline?.regression !== undefined,
  cost: ({ metrics }) => metrics?.openwopCost?.usd !== undefined,
  time: ({ touchstone }) => touchstone?.headline?.p95Ms !== undefined,
  tags: ({ tags = [] }) => tags.length > 0,
};

const COLUMNS: readonly Column<RunSnapshot>[] = [
  {
    id: 'verdict',
    name: 'Verdict',
    cell: (run) => <VerdictBadge verdict={verdictOfRun(run)} status={run.status} />,
  },
  {
    id: 'name',
    name: 'Suite',
    isKept: true,
    cell: (run) => (
      <a href={hrefOfRun(run)} tabIndex={-1}>
        <LongName name={nameOfRun(run)} />
        <span class="below" aria-hidden="true">
          <LongName name={agentOf(run) ?? ''} />
        </span>
      </a>
    ),
  },
  {
    id: 'agent',
    name: 'Agent',
    cell: (run) => {
      const agent = agentOf(run);
      return agent !== undefined && <LongName name={agent} />;
    },
  },
  { id: 'runscore', name: 'Score', isNumber: true, cell: (run) => <RunScore run={run} /> },
  { id: 'change', name: 'Change', isNumber: true, cell: (run) => <RunChange run={run} /> },
  {
    id: 'tasks',
    name: 'Tasks',
    isNumber: true,
    cell: ({ touchstone }) => touchstone?.tasks && whole(touchstone.tasks.selected),
  },
  {
    id: 'cost',
    name: 'Cost',
    isNumber: true,
    cell: ({ metrics }) => metrics?.openwopCost?.usd !== undefined && usd(metrics.openwopCost.usd),
  },
  {
    id: 'time',
    name: 'p95',
    isNumber: true,
    cell: ({ touchstone }) =>
      touchstone?.headline?.p95Ms !== undefined && duration(touchstone.headline.p95Ms),
  },
  { id: 'tags', name: 'Tags', cell: ({ tags = [] }) => tags.join(', ') },
  {
    id: 'by',
    name: 'By',
    cell: ({ owner }) => (owner as { readonly principal?: string } | undefined)?.principal,
  },
  {
    id: 'when',
    name: 'When',
    cell: ({ touchstone }) => touchstone && <When at={touchstone.createdAt} />,
  },
];
