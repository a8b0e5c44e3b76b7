import type { Matrix, MatrixRow, MatrixRun, TaskView } from '@touchstone/protocol';
import { whole } from '@touchstone/sdk/view';
import { useState } from 'preact/hooks';
import { type Address, navigate, withQuery } from '../../address.js';
import { usePages } from '../../queries/use-pages.js';
import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';
import { Body } from '../body.js';
import { useColumnDrag } from '../columns/use-column-drag.js';
import { ChosenDiff } from '../diff.js';
import { ErrorBox } from '../error-box.js';
import { FirstError } from '../first-error.js';
import { useKeys } from '../keys.js';
import { Empty, Skeleton } from '../states.js';
import { moveRun } from './compared-runs.js';
import { answerOf, Side } from './compared-task.js';

type AnswersProps = { readonly runs: readonly string[]; readonly address: Address };

/** The answers to one task beside each other, and from one task that differs to the next. */
export function Answers({ runs, address }: AnswersProps) {
  const pages = usePages<MatrixRow, Matrix>(`differ ${runs.join()}`, (part, signal) =>
    client.matrix({ runs: runs as never, only: 'differ', ...part }, { signal }),
  );
  const [isDiff, setDiff] = useState(true);
  const wanted = address.query.get('task');
  const known = pages.indexOf(({ taskId }) => taskId === wanted);
  const [place, setPlace] = useState(0);
  const at = known >= 0 ? known : place;
  const taskId = wanted ?? pages.rowAt(0)?.taskId;
  const go = (step: number): void => {
    const next = Math.max(0, Math.min(pages.matched - 1, at + step));
    pages.onSight(next, next + 1);
    const row = pages.rowAt(next);
    setPlace(next);
    if (row) navigate(withQuery(address, { task: row.taskId }), { replace: true });
  };
  useKeys('task', { '[': () => go(-1), ']': () => go(1), d: () => setDiff(!isDiff) });
  if (pages.isFirst) return <Skeleton />;
  if (!pages.latest) return <FirstError of={[pages]} />;
  if (taskId === undefined) return <Empty>No task came out differently in these runs.</Empty>;
  return (
    <div class="answers">
      <FirstError of={[pages]} />
      <div class="filters" role="toolbar" aria-label="Differences">
        <button type="button" title="[" disabled={at <= 0 && wanted !== null} onClick={() => go(-1)}>
          ‹ Previous
        </button>
        <button type="button" title="]" disabled={at >= pages.matched - 1} onClick={() => go(1)}>
          Next ›
        </button>
        <button type="button" class="toggle" title="d" aria-pressed={isDiff} onClick={() => setDiff(!isDiff)}>
          Differences marked
        </button>
        <span class="matched" role="status">
          {known >= 0 || wanted === null ? `${whole(at + 1)} of ` : ''}
          {whole(pages.matched)} that differ
        </span>
      </div>
      <OneTask
        runs={runs}
        address={address}
        columns={pages.latest?.runs ?? []}
        taskId={taskId}
        isDiff={isDiff}
      />
    </div>
  );
}

type OneTaskProps = AnswersProps & {
  readonly columns: readonly MatrixRun[];
  readonly taskId: string;
  readonly isDiff: boolean;
};

function OneTask({ runs, address, columns, taskId, isDiff }: OneTaskProps) {
  const dragOf = useColumnDrag((runId, to) => moveRun(address, runs, runId, to));
  const { data, error, reload } = useQuery(`answers ${runs.join()} ${taskId}`, (signal) =>
    Promise.all(runs.map((runId) => client.task(runId as never, taskId, { signal }).catch(absent))),
  );
  if (error !== undefined) return <ErrorBox error={error} onRetry={reload} />;
  if (!data) return <Skeleton rows={4} />;
  const first = data.find((task) => task !== undefined);
  return (
    <section aria-label={`Task ${taskId}`} class="one-task">
      <h2 class="id">{taskId}</h2>
      <div class="part">
        <h3>Given</h3>
        <Body value={first?.invocations[0]?.input ?? ''} />
      </div>
      <div class="answer-columns">
        {data.map((task, at) => (
          <Answer
            key={runs[at]}
            drag={dragOf(runs[at] ?? '')}
            run={columns.find(({ runId }) => runId === runs[at])}
            task={task}
            before={at > 0 && isDiff ? data[0] : undefined}
          />
        ))}
      </div>
    </section>
  );
}

/** A run may not have the task at all. */
const absent = (error: unknown): undefined => {
  if ((error as { readonly status?: number }).status !== 404) throw error;
};

type AnswerProps = {
  /** What makes its head something that can be dragged to another place. */
  readonly drag: object;
  readonly run: MatrixRun | undefined;
  readonly task: TaskView | undefined;
  /** What it is held against, word by word; absent when it is shown as it is. */
  readonly before: TaskView | undefined;
};

const Answer = ({ drag, run, task, before }: AnswerProps) => (
  <article class="answer" data-run={run?.runId}>
    <h3 {...drag}>
      {run?.agent.version ?? ''} {task ? <Side task={task} /> : <span class="muted">not there</span>}
    </h3>
    {task && before && <ChosenDiff before={answerOf(before)} after={answerOf(task)} />}
    {task && !before && <Body value={answerOf(task)} />}
  </article>
);
