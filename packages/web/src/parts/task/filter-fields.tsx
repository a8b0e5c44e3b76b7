import { REVIEW_STATES, SEVERITIES, type TaskFacets } from '@touchstone/protocol';
import { plural, whole } from '@touchstone/sdk/view';
import { type Address, navigate, withQuery } from '../../address.js';
import type { FilterField } from '../add-filter.js';

const NUMBERS: readonly FilterField[] = [
  { name: 'minScore', label: 'Score at least', range: { max: 1, step: 0.01 } },
  { name: 'maxScore', label: 'Score at most', range: { max: 1, step: 0.01 } },
  { name: 'minMs', label: 'Milliseconds at least', range: { step: 1 } },
  { name: 'maxMs', label: 'Milliseconds at most', range: { step: 1 } },
];

/** What the tasks of a run can be filtered by: only what some of them have. */
export const fieldsOf = (facets: TaskFacets | undefined): readonly FilterField[] => [
  ...(facets ? choicesOf(facets).filter(({ values = [] }) => values.length > 0) : []),
  ...NUMBERS,
];

const choicesOf = (facets: TaskFacets): readonly FilterField[] => [
  {
    name: 'slice',
    label: 'Slice',
    values: facets.slices.map(({ name, tasks, failed }) => [
      name,
      `${name} (${plural(tasks, 'task')}, ${whole(failed)} failed)`,
    ]),
  },
  { name: 'finding', label: 'Finding', values: kindsOf(facets) },
  { name: 'severity', label: 'Severity of a finding', values: severitiesOf(facets) },
  {
    name: 'criterion',
    label: 'Unmet criterion',
    values: facets.criteria.map(({ id, applicable, met }) => [
      id,
      `${id} (met in ${whole(met)} of ${whole(applicable)})`,
    ]),
  },
  {
    name: 'reviewed',
    label: 'Review',
    values: REVIEW_STATES.map((state) => [state, `${state} (${whole(facets.reviewed[state])})`]),
  },
];

const kindsOf = ({ findings }: TaskFacets): NonNullable<FilterField['values']> =>
  [...new Set(findings.map(({ kind }) => kind))].map((kind) => [kind, kind]);

const severitiesOf = ({ findings }: TaskFacets): NonNullable<FilterField['values']> =>
  SEVERITIES.filter((severity) => findings.some((found) => found.severity === severity)).map((severity) => [
    severity,
    severity,
  ]);

const NAMES: { readonly [name: string]: string } = {
  against: 'against',
  slice: 'slice',
  finding: 'finding',
  severity: 'severity',
  criterion: 'unmet',
  reviewed: 'review',
  minScore: 'score ≥',
  maxScore: 'score ≤',
  minMs: 'ms ≥',
  maxMs: 'ms ≤',
};

/** Filters that were added, or chosen by a bar of a histogram or a slice. Each is taken away by itself. */
export const FilterChips = ({ address }: { readonly address: Address }) => (
  <>
    {Object.entries(NAMES).flatMap(([name, label]) => {
      const value = address.query.get(name);
      if (value === null) return [];
      return [
        <button
          key={name}
          type="button"
          class="chip"
          aria-label={`Remove the filter ${label} ${value}`}
          onClick={() => navigate(withQuery(address, { [name]: undefined }))}
        >
          {label} {value} <span aria-hidden="true">×</span>
        </button>,
      ];
    })}
  </>
);
