import type { Json, TaskView } from '@touchstone/protocol';
import { score } from '@touchstone/sdk/view';
import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';
import { Body } from '../body.js';
import { ChosenDiff } from '../diff.js';
import { Glyph } from '../glyphs.js';
import { Panel } from '../panel.js';

type ComparedProps = {
  readonly runs: readonly [before: string, after: string];
  readonly taskId: string;
  readonly onClose: () => void;
};

/** One task in two runs: what was given, and how the answer changed. */
export function ComparedTask({ runs: [before, after], taskId, onClose }: ComparedProps) {
  const { data, error, reload } = useQuery(`tasks ${before} ${after} ${taskId}`, (signal) =>
    Promise.all([before, after].map((runId) => client.task(runId as never, taskId, { signal }))),
  );
  const [one, other] = data ?? [];
  return (
    <Panel runId={after} taskId={taskId} error={error} onRetry={reload} onClose={onClose}>
      {one && other && <Pair before={one} after={other} />}
    </Panel>
  );
}

export const answerOf = ({ invocations }: TaskView): Json => invocations[0]?.output ?? '';

const Pair = ({ before, after }: { readonly before: TaskView; readonly after: TaskView }) => (
  <div class="task">
    <p class="task-summary">
      <Side task={before} /> → <Side task={after} />
    </p>
    <section class="part">
      <h2>Given</h2>
      <Body value={after.invocations[0]?.input ?? ''} />
    </section>
    <section class="part">
      <h2>Answer</h2>
      <ChosenDiff before={answerOf(before)} after={answerOf(after)} />
    </section>
  </div>
);

/** On which side a task came out. */
export const Side = ({ task: { passed, unscored, score: value } }: { readonly task: TaskView }) => (
  <>
    <Glyph outcome={unscored === undefined ? (passed ? 'passed' : 'failed') : 'unscored'} />{' '}
    {unscored === undefined ? score(value) : unscored}
  </>
);
