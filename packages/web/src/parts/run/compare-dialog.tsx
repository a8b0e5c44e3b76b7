import type { EvalRunSnapshot, RunSnapshot } from '@touchstone/sdk';
import { useState } from 'preact/hooks';
import { navigate } from '../../address.js';
import { useQuery } from '../../queries/use-query.js';
import { useRuns } from '../../queries/use-runs.js';
import { verdictOfRun } from '../../run-words.js';
import { client } from '../../source.js';
import { MOST_RUNS } from '../compare/compared-runs.js';
import { Dialog, Field } from '../dialog.js';
import { ErrorBox } from '../error-box.js';
import { Empty, Skeleton } from '../states.js';
import { VerdictBadge } from '../verdict.js';
import { When } from '../when.js';
import { RunScore } from './run-columns.js';

type CompareDialogProps = { readonly run: EvalRunSnapshot; readonly onClose: () => void };

/** The completed runs of the same suite. The first one that is chosen is the baseline. */
export function CompareDialog({ run, onClose }: CompareDialogProps) {
  const [suiteId = ''] = run.touchstone.suite.ref.split('@');
  const [q, setName] = useState('');
  const { runs, error, isLoading, reload, more } = useRuns({
    kind: 'eval',
    status: 'completed',
    suiteId,
    ...(q !== '' && { q }),
  });
  const others = runs.filter(({ runId }) => runId !== run.runId);
  const blessed = useQuery(`blessed ${suiteId}`, async (signal) =>
    (await client.baselines.list({ suiteId }, { signal })).flatMap(({ current, runId }) =>
      current ? [runId as string] : [],
    ),
  );
  const isBlessed = (runId: string): boolean => blessed.data?.includes(runId) ?? false;
  const [picked, pick] = useState<readonly string[]>();
  const chosen = picked ?? usualOf(run, others, isBlessed);
  const toggle = (runId: string): void =>
    pick(chosen.includes(runId) ? chosen.filter((one) => one !== runId) : [...chosen, runId]);
  const compare = async (): Promise<void> => {
    const [baseline = '', ...rest] = chosen;
    navigate(`/compare?runs=${[baseline, run.runId, ...rest].join(',')}`);
  };
  return (
    <Dialog
      name="Compare…"
      confirm="Compare"
      denied={whyNot(chosen.length)}
      onConfirm={compare}
      onClose={onClose}
    >
      <p>With which runs of {suiteId}? The first one that you choose is the baseline.</p>
      <Field name="Find" note="id, agent or tag">
        {(id) => (
          <input
            id={id}
            type="search"
            value={q}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
        )}
      </Field>
      {error !== undefined && <ErrorBox error={error} onRetry={reload} />}
      {isLoading && <Skeleton rows={3} />}
      {!isLoading && error === undefined && others.length === 0 && (
        <Empty>
          {q === '' ? 'No other run of this suite has completed.' : 'No run has this in its names.'}
        </Empty>
      )}
      <ul class="run-choice">
        {others.map((other) => (
          <Choice
            key={other.runId}
            run={other}
            place={chosen.indexOf(other.runId)}
            isBlessed={isBlessed(other.runId)}
            onToggle={() => toggle(other.runId)}
          />
        ))}
      </ul>
      {more && (
        <button type="button" class="quiet" onClick={more}>
          Older runs
        </button>
      )}
    </Dialog>
  );
}

/** What the run was measured by; a blessed run, or the one before it, when it was measured by none. */
function usualOf(
  { touchstone: { baselineRunId, createdAt } }: EvalRunSnapshot,
  others: readonly RunSnapshot[],
  isBlessed: (runId: string) => boolean,
): readonly string[] {
  const usual =
    others.find(({ runId }) => runId === baselineRunId) ??
    others.find(({ runId }) => isBlessed(runId)) ??
    others.find(({ touchstone }) => touchstone !== undefined && touchstone.createdAt < createdAt) ??
    others[0];
  return usual ? [usual.runId] : [];
}

const whyNot = (count: number): string | undefined => {
  if (count === 0) return 'Choose a run.';
  return count < MOST_RUNS ? undefined : `At most ${MOST_RUNS} runs fit beside each other.`;
};

type ChoiceProps = {
  readonly run: RunSnapshot;
  /** Among those that are chosen; -1 when it is not. */
  readonly place: number;
  readonly isBlessed: boolean;
  readonly onToggle: () => void;
};

const Choice = ({ run, place, isBlessed, onToggle }: ChoiceProps) => (
  <li data-run={run.runId}>
    <label>
      <input type="checkbox" checked={place >= 0} onChange={onToggle} />
      <span class="id">
        {run.touchstone?.agent?.agentId}@{run.touchstone?.agent?.version}
      </span>
      <span class="score-of">
        <RunScore run={run} />
      </span>
      <span class="note-line muted">
        <VerdictBadge verdict={verdictOfRun(run)} status={run.status} />
        <span>suite {run.touchstone?.suite?.ref.split('@')[1]}</span>
        <When at={run.touchstone?.createdAt ?? ''} />
        {isBlessed && <span class="blessed">◆ blessed</span>}
        {place === 0 && <span class="tag">baseline</span>}
      </span>
    </label>
  </li>
);
