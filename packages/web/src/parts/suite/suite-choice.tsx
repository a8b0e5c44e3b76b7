import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';

type SuiteChoiceProps = {
  readonly value: string | undefined;
  readonly onChoose: (suiteId: string | undefined) => void;
};

/** One suite, or all of them. */
export function SuiteChoice({ value, onChoose }: SuiteChoiceProps) {
  const { data } = useQuery('suites', (signal) => client.suites.list({ limit: 200 }, { signal }));
  const suites = [
    ...new Set([...(value ? [value] : []), ...(data?.items ?? []).map(({ suiteId }) => suiteId)]),
  ];
  return (
    <select
      aria-label="Suite"
      value={value ?? ''}
      onChange={(event) => onChoose(event.currentTarget.value || undefined)}
    >
      <option value="">All suites</option>
      {suites.sort().map((suiteId) => (
        <option key={suiteId} value={suiteId}>
          {suiteId}
        </option>
      ))}
    </select>
  );
}
