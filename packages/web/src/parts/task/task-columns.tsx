import type { TaskListing } from '@touchstone/protocol';
import { duration, percent, plural, score, signed, usd, whyNot } from '@touchstone/sdk/view';
import { Strip } from '../../marks/strip.js';
import { Glyph, type TaskOutcome } from '../glyphs.js';
import type { Column } from '../grid/grid.js';

export const outcomeOf = ({ passed, unscored }: TaskListing): TaskOutcome =>
  unscored === undefined ? (passed ? 'passed' : 'failed') : 'unscored';

/** Negative is worse; undefined when there is nothing to compare. */
export const changeOf = ({ unscored, score: now, before }: TaskListing): number | undefined =>
  before && unscored === undefined ? now - before.score : undefined;

/** Why a task is where it is, in names and numbers. */
export function whyOf(row: TaskListing): string {
  const { passed, criteria, findings = [], schemaValid, flagged } = row;
  const words = whyNot(row);
  const parts = words === undefined ? [] : [words];
  if (criteria)
    parts.push(
      `${criteria[0]} of ${plural(criteria[1], 'criteri').replace(/criteri(s?)$/, (_, s) => (s ? 'criteria' : 'criterion'))}`,
    );
  if (schemaValid === false) parts.push('not the return schema');
  for (const { kind, severity } of findings) parts.push(`${kind} ${severity}`);
  if (parts.length === 0 && !passed) parts.push('below the bar');
  if (flagged) parts.push('flagged');
  return parts.join(' · ');
}

export const Change = ({ row }: { readonly row: TaskListing }) => {
  const change = changeOf(row);
  if (change === undefined || change === 0) return null;
  return <span class={change < 0 ? 'worse' : 'better'}>{signed(change)}</span>;
};

/** The score as a number and as a bar: how far the bar reaches is seen before the digits are read. */
const Score = ({ row }: { readonly row: TaskListing }) => {
  if (row.unscored !== undefined) return <>–</>;
  const isWhole = row.passed && row.score === 1;
  return (
    <>
      {score(row.score)}
      {isWhole ? (
        <span class="score-bar" />
      ) : (
        <svg class={`score-bar ${outcomeOf(row)}`} viewBox="0 0 40 6" aria-hidden="true">
          <rect class="rest" width={40} height={6} />
          <rect width={40 * row.score} height={6} />
        </svg>
      )}
    </>
  );
};

/** What there is to show of a run's tasks: a column without a single value would only take room. */
export type ColumnFacts = {
  readonly isCompared: boolean;
  readonly hasCost: boolean;
  readonly hasVotes: boolean;
};

const isShown = ({ isCompared, hasCost, hasVotes }: ColumnFacts, id: string): boolean =>
  ({ change: isCompared, cost: hasCost, judge: hasVotes })[id] ?? true;

export const taskColumns = (
  hrefOf: (row: TaskListing) => string,
  facts: ColumnFacts,
): readonly Column<TaskListing>[] => allColumns(hrefOf).filter(({ id }) => isShown(facts, id));

const allColumns = (hrefOf: (row: TaskListing) => string): readonly Column<TaskListing>[] => [
  { id: 'glyph', name: 'Outcome', cell: (row) => <Glyph outcome={outcomeOf(row)} /> },
  {
    id: 'task',
    name: 'Task',
    order: 'id',
    isKept: true,
    cell: (row) => (
      <a href={hrefOf(row)} tabIndex={-1}>
        {row.taskId}
      </a>
    ),
  },
  { id: 'score', name: 'Score', order: 'score', isNumber: true, cell: (row) => <Score row={row} /> },
  { id: 'change', name: 'Change', order: 'change', isNumber: true, cell: (row) => <Change row={row} /> },
  {
    id: 'time',
    name: 'Time',
    order: 'time',
    isNumber: true,
    cell: ({ latencyMs }) => latencyMs !== undefined && duration(latencyMs),
  },
  {
    id: 'cost',
    name: 'Cost',
    order: 'cost',
    isNumber: true,
    cell: ({ costUsd }) => costUsd !== undefined && usd(costUsd),
  },
  {
    id: 'judge',
    name: 'Judge',
    order: 'agreement',
    isNumber: true,
    cell: ({ agreement }) => agreement !== undefined && percent(agreement),
  },
  { id: 'last', name: 'Last 8', cell: ({ last }) => last !== undefined && <Strip last={last} /> },
  { id: 'why', name: 'Why', cell: whyOf },
];
