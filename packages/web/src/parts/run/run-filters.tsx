import { whole } from '@touchstone/sdk/view';
import { type Address, navigate, withQuery } from '../../address.js';
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

type RunFiltersProps = { readonly address: Address; readonly count: number; readonly hasMore: boolean };

export const RunFilters = ({ address, count, hasMore }: RunFiltersProps) => (
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
    {['tag', 'suiteId', 'agentId', 'status'].map((name) => (
      <Chip key={name} address={address} name={name} />
    ))}
    <span class="matched" role="status">
      {whole(count)}
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

function Chip({ address, name }: { readonly address: Address; readonly name: string }) {
  const value = address.query.get(name);
  if (value === null) return null;
  return (
    <button
      type="button"
      class="chip"
      aria-label={`Remove the filter ${name} ${value}`}
      onClick={() => navigate(withQuery(address, { [name]: undefined }))}
    >
      {name} {value} <span aria-hidden="true">×</span>
    </button>
  );
}
