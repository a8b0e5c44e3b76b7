import { REVIEW_SOURCES, type ReviewList, type ReviewSource } from '@touchstone/protocol';
import type { ReviewQuery } from '@touchstone/sdk';
import { whole } from '@touchstone/sdk/view';
import { useState } from 'preact/hooks';
import { type Address, navigate, withQuery } from '../../address.js';
import { DEFAULT_SAMPLE } from '../../queries/review-query.js';
import { saveFile } from '../../save-file.js';
import { client } from '../../source.js';
import { ErrorBox } from '../error-box.js';
import { SuiteChoice } from '../suite/suite-choice.js';

const NAMES: { readonly [source in ReviewSource]: string } = {
  failures: 'Failures',
  unscored: 'Not scored',
  flagged: 'Flagged',
  'low-agreement': 'Votes differ',
  sample: 'Random sample',
};

type SourcesProps = {
  readonly address: Address;
  readonly query: ReviewQuery & { readonly source: ReviewSource };
  readonly counts: ReviewList['counts'] | undefined;
};

/** Where the tasks come from. All of it is in the address, so that two people can look at the same. */
export function ReviewSources({ address, query, counts }: SourcesProps) {
  const set = (changes: { readonly [name: string]: string | undefined }): void =>
    navigate(withQuery(address, changes));
  return (
    <div class="filters" role="toolbar" aria-label="Source">
      {REVIEW_SOURCES.map((source) => (
        <button
          key={source}
          type="button"
          class="toggle"
          aria-pressed={source === query.source}
          onClick={() => set({ source, seed: undefined, n: undefined })}
        >
          {NAMES[source]} <span class="count">{source !== 'sample' && counts && whole(counts[source])}</span>
        </button>
      ))}
      {query.source === 'sample' && <Sample query={query} set={set} />}
      <SuiteChoice value={query.suiteId} onChoose={(suiteId) => set({ suiteId, runId: undefined })} />
      {query.runId !== undefined && (
        <button
          type="button"
          class="chip"
          aria-label={`Remove the filter run …${query.runId.slice(-6)}`}
          onClick={() => set({ runId: undefined })}
        >
          run …{query.runId.slice(-6)} <span aria-hidden="true">×</span>
        </button>
      )}
    </div>
  );
}

type SampleProps = {
  readonly query: ReviewQuery;
  readonly set: (changes: { readonly [name: string]: string }) => void;
};

/** The same seed draws the same tasks for everyone. */
const Sample = ({ query, set }: SampleProps) => (
  <>
    {(['n', 'seed'] as const).map((name) => (
      <label key={name} class="sample">
        {name === 'n' ? 'Tasks' : 'Seed'}
        <input
          type="number"
          min={name === 'n' ? 1 : 0}
          max={name === 'n' ? 1000 : undefined}
          value={query[name] ?? DEFAULT_SAMPLE[name]}
          onChange={(event) => set({ [name]: event.currentTarget.value })}
        />
      </label>
    ))}
  </>
);

/** Labels given blind, as the command line reads them. */
export function LabelsFile({ query: { suiteId, runId } }: { readonly query: ReviewQuery }) {
  const [error, setError] = useState<unknown>();
  const save = async (): Promise<void> => {
    try {
      const scope = { ...(suiteId !== undefined && { suiteId }), ...(runId !== undefined && { runId }) };
      saveFile('labels.jsonl', await client.review.labels({ ...scope, blind: true }));
      setError(undefined);
    } catch (caught) {
      setError(caught);
    }
  };
  return (
    <>
      <button
        type="button"
        data-testid="labels-file"
        title="The labels given blind, with questions and answers: touchstone judge check labels.jsonl"
        onClick={save}
      >
        Labels file
      </button>
      {error !== undefined && <ErrorBox error={error} />}
    </>
  );
}
