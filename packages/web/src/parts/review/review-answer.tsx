import type { Json, TaskView } from '@touchstone/protocol';
import { Body } from '../body.js';
import { Section } from '../section.js';
import { answered } from './answered.js';

type ReviewAnswerProps = {
  readonly task: TaskView;
  readonly repeat: number;
  readonly onRepeat: (repeat: number) => void;
};

/** What was given and what was answered. No score, no verdict: the person has not decided yet. */
export function ReviewAnswer({ task, repeat, onRepeat }: ReviewAnswerProps) {
  const answers = answered(task);
  const invocation = answers[repeat];
  const first = task.invocations[0];
  const expected = (task.expected.match as { readonly value?: Json } | undefined)?.value;
  return (
    <>
      {answers.length > 1 && (
        <div class="repeats" role="tablist" aria-label="Repeats">
          {answers.map(({ invocationId }, at) => (
            <button
              key={invocationId}
              type="button"
              role="tab"
              aria-selected={at === repeat}
              onClick={() => onRepeat(at)}
            >
              Answer {at + 1}
            </button>
          ))}
        </div>
      )}
      {first && (
        <Section name="Given">
          <Body value={first.input} testId="task-input" />
        </Section>
      )}
      {expected !== undefined && (
        <Section name="Expected">
          <Body value={expected} testId="task-expected" />
        </Section>
      )}
      <Section name="Answer">
        {invocation?.output !== undefined ? (
          <Body value={invocation.output} testId="task-output" />
        ) : (
          <p class="muted">
            {task.bodiesRemovedAt === undefined
              ? `No answer: ${first?.outcome ?? 'not run'}. ${first?.reason ?? ''}`
              : `The content of this run was removed ${task.bodiesRemovedAt}.`}
          </p>
        )}
      </Section>
    </>
  );
}
