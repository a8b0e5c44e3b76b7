import { RUN_STATUSES } from '@touchstone/protocol';
import type { RunSnapshot } from '@touchstone/sdk';
import { whole } from '@touchstone/sdk/view';
import { type Address, navigate, withQuery } from '../../address.js';
import { AddFilter, type FilterField } from '../add-filter.js';
import { ColumnsMenu } from '../columns/columns-menu.js';
import type { Columns } from '../columns/use-columns.js';
import { SearchField } from '../search-field.js';
import { Toggles } from '../toggles.js';

const KINDS = [
  [undefined, 'All'],
  ['eval', 'Evaluations'],
  ['deployment', 'Deployments'],
  ['single', 'Single'],
] as const;
const VERDICTS = [
  ['fail', '▣ Fail'],
  ['regression', '▣ Regression'],
  ['inconclusive', '≈ Not judged'],
  ['pass', '✓ Pass'],
] as const;
const HOUR_MS = 3_600_000;
const SPANS = [
  ['', 'Any time'],
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
  ['720', 'Last 30 days'],
] as const;

const unique = (names: readonly (string | undefined)[]): readonly string[] =>
  [...new Set(names.filter((name) => name !== undefined))].sort();

/** What the list can be filtered by, with the names of the runs that are shown. */
const fieldsOf = (runs: readonly RunSnapshot[]): readonly FilterField[] => [
  { name: 'tag', label: 'Tag', examples: unique(runs.flatMap(({ tags = [] }) => tags)) },
  {
    name: 'suiteId',
    label: 'Suite',
    examples: unique(runs.map(({ touchstone }) => touchstone?.suite?.ref.split('@')[0])),
  },
  {
    name: 'agentId',
    label: 'Agent',
    examples: unique(runs.map(({ touchstone }) => touchstone?.agent?.agentId)),
  },
  { name: 'status', label: 'Status', values: RUN_STATUSES.map((status) => [status, status]) },
  { name: 'since', label: 'Created since', isDay: true },
  { name: 'until', label: 'Created before', isDay: true },
];

type RunFiltersProps = {
  readonly address: Address;
  readonly runs: readonly RunSnapshot[];
  readonly hasMore: boolean;
  readonly columns: Columns<RunSnapshot>;
};

export const RunFilters = ({ address, runs, hasMore, columns }: RunFiltersProps) => (
  <div class="filters" role="toolbar" aria-label="Filters">
    <Toggles address={address} name="kind" label="Kind" choices={KINDS} />
    <Toggles address={address} name="verdict" label="Verdict" choices={VERDICTS} />
    <Since address={address} />
    <SearchField
      address={address}
      name="q"
      label="Find runs by id, suite, agent or tag"
      placeholder="Suite, agent, tag, id  /"
    />
    <AddFilter address={address} fields={fieldsOf(runs)} />
    {fieldsOf(runs)
      .filter(({ name }) => name !== 'since')
      .map((field) => (
        <Chip key={field.name} address={address} field={field} />
      ))}
    <ColumnsMenu columns={columns} />
    <span class="matched" role="status">
      {whole(runs.length)}
      {hasMore ? ' and more' : ''}
    </span>
  </div>
);

/** The address holds a moment, so that a link keeps its meaning. */
function Since({ address }: { readonly address: Address }) {
  const since = Date.parse(address.query.get('since') ?? '');
  const hours = (Date.now() - since) / HOUR_MS;
  const chosen = Number.isNaN(since)
    ? ''
    : (SPANS.find(([span]) => Math.abs(Number(span) - hours) < 1)?.[0] ?? 'other');
  const choose = (span: string): void => {
    const start = new Date(Date.now() - Number(span) * HOUR_MS).toISOString();
    navigate(withQuery(address, { since: span === '' ? undefined : start }));
  };
  return (
    <select aria-label="Created" value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {SPANS.map(([span, name]) => (
        <option key={span} value={span}>
          {name}
        </option>
      ))}
      {chosen === 'other' && (
        <option value="other">Since {new Date(since).toISOString().slice(0, 10)}</option>
      )}
    </select>
  );
}

function Chip({ address, field }: { readonly address: Address; readonly field: FilterField }) {
  const { name, isDay } = field;
  const label = field.label.toLowerCase();
  const value = address.query.get(name);
  if (value === null) return null;
  return (
    <button
      type="button"
      class="chip"
      aria-label={`Remove the filter ${label} ${value}`}
      onClick={() => navigate(withQuery(address, { [name]: undefined }))}
    >
      {label} {isDay ? value.slice(0, 10) : value} <span aria-hidden="true">×</span>
    </button>
  );
}
