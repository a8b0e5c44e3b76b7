import type { ReviewItem, TaskView } from '@touchstone/protocol';
import { score } from '@touchstone/sdk/view';
import { Glyph } from '../glyphs.js';
import { Section } from '../section.js';

type JudgeVerdictsProps = {
  readonly item: ReviewItem;
  readonly task: TaskView;
  readonly invocation: TaskView['invocations'][number] | undefined;
};
type Decided = { readonly met?: boolean; readonly reason?: string };

/** What the judge said. It is drawn only after the person has asked for it. */
export function JudgeVerdicts({ item, task, invocation }: JudgeVerdictsProps) {
  const decided = (invocation?.criteria ?? []) as readonly Decided[];
  const rubric = (task.expected.rubric ?? []) as readonly { readonly criterion?: unknown }[];
  const outcome = item.unscored === undefined ? (item.passed ? 'passed' : 'failed') : 'unscored';
  return (
    <div data-testid="review-judge">
      <Section name="Judge">
        <p>
          <Glyph outcome={outcome} /> {item.unscored ?? score(item.score)}{' '}
          <a href={`/runs/${encodeURIComponent(item.runId)}/tasks/${encodeURIComponent(item.taskId)}`}>
            Open the task
          </a>
        </p>
        <ul class="criteria">
          {rubric.map(({ criterion }, at) => (
            <li key={String(criterion)} data-met={decided[at]?.met}>
              <Glyph
                outcome={decided[at]?.met === undefined ? 'unscored' : decided[at].met ? 'passed' : 'failed'}
              />
              <span>{String(criterion)}</span>
              {decided[at]?.reason !== undefined && <q class="muted">{decided[at].reason}</q>}
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}
