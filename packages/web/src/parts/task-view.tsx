import type { Json, TaskView } from '@touchstone/protocol';
import { duration, plural, score } from '@touchstone/sdk/view';
import { useState } from 'preact/hooks';
import { Body } from './body.js';
import { Glyph } from './glyphs.js';

type Invocation = TaskView['invocations'][number];

/** Everything there is to read about one task: what was given, expected and answered, and what was decided about it. */
export function TaskContent({ task }: { readonly task: TaskView }) {
  const [repeat, setRepeat] = useState(0);
  const invocation = task.invocations[Math.min(repeat, task.invocations.length - 1)];
  return (
    <div class="task">
      <Summary task={task} />
      {task.invocations.length > 1 && <Repeats task={task} repeat={repeat} onChoose={setRepeat} />}
      {task.bodiesRemovedAt !== undefined && (
        <p class="note">The content of this run was removed {task.bodiesRemovedAt}.</p>
      )}
      {invocation && <InvocationView task={task} invocation={invocation} />}
    </div>
  );
}

const Summary = ({ task }: { readonly task: TaskView }) => {
  const isScored = task.unscored === undefined;
  const outcome = isScored ? (task.passed ? 'passed' : 'failed') : 'unscored';
  const result = task.invocations[0]?.result;
  return (
    <p class="task-summary">
      <Glyph outcome={outcome} /> <span class="strong">{isScored ? score(task.score) : task.unscored}</span>
      {result?.latencyMs !== undefined && <span class="muted"> · {duration(result.latencyMs)}</span>}
    </p>
  );
};

type RepeatsProps = {
  readonly task: TaskView;
  readonly repeat: number;
  readonly onChoose: (repeat: number) => void;
};

const Repeats = ({ task, repeat, onChoose }: RepeatsProps) => (
  <div class="repeats" role="tablist" aria-label="Repeats">
    {task.invocations.map(({ invocationId, result }, at) => (
      <button
        key={invocationId}
        type="button"
        role="tab"
        aria-selected={at === repeat}
        onClick={() => onChoose(at)}
      >
        {at + 1} <span class="muted">{result === undefined ? '' : score(result.score)}</span>
      </button>
    ))}
  </div>
);

const InvocationView = ({
  task,
  invocation,
}: {
  readonly task: TaskView;
  readonly invocation: Invocation;
}) => (
  <>
    <Section name="Given">
      <Body value={invocation.input} testId="task-input" />
    </Section>
    <div class="beside">
      {expectedOf(task) !== undefined && (
        <Section name="Expected">
          <Body value={expectedOf(task) as Json} testId="task-expected" />
        </Section>
      )}
      <Section name="Answer">
        {invocation.output === undefined ? (
          <p class="muted">
            No answer: {invocation.outcome}. {invocation.reason}
          </p>
        ) : (
          <Body value={invocation.output} testId="task-output" />
        )}
      </Section>
    </div>
    <Criteria task={task} invocation={invocation} />
    <ToolCalls invocation={invocation} />
    {(invocation.result?.findings ?? []).length > 0 && (
      <Section name="Findings">
        {invocation.result?.findings?.map(({ kind, severity }) => (
          <p key={kind} data-testid="finding">
            {kind} {severity}
          </p>
        ))}
      </Section>
    )}
  </>
);

const Section = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children: preact.ComponentChildren;
}) => (
  <section class="part">
    <h2>{name}</h2>
    {children}
  </section>
);

/** What a golden task is held against; a rubric is shown by its criteria. */
function expectedOf({ expected }: TaskView): Json | undefined {
  const match = expected.match as { readonly value?: Json } | undefined;
  return match?.value;
}

type CriterionFacts = {
  readonly met?: boolean;
  readonly agreement?: number;
  readonly reason?: string;
  readonly criterion?: string;
};
type RubricLine = { readonly criterion?: unknown; readonly weight?: number };

function Criteria({ task, invocation }: { readonly task: TaskView; readonly invocation: Invocation }) {
  const rubric = (task.expected.rubric ?? []) as readonly RubricLine[];
  if (rubric.length === 0) return null;
  const decided = (invocation.criteria ?? []) as readonly CriterionFacts[];
  const results = invocation.result?.criteria ?? [];
  return (
    <Section name="Criteria">
      <ul class="criteria">
        {rubric.map(({ criterion }, at) => {
          const isMet = results[at] ? results[at].met === 1 : decided[at]?.met;
          return (
            <li
              key={String(criterion)}
              data-testid="criterion"
              data-criterion={results[at]?.id}
              data-met={isMet}
            >
              <Glyph outcome={isMet === undefined ? 'unscored' : isMet ? 'passed' : 'failed'} />
              <span>{String(criterion)}</span>
              {decided[at]?.reason !== undefined && <q class="muted">{decided[at].reason}</q>}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

const ToolCalls = ({ invocation: { toolCalls } }: { readonly invocation: Invocation }) =>
  toolCalls.length === 0 ? null : (
    <Section name={`Timeline: ${plural(toolCalls.length, 'tool call')}`}>
      <ol class="spans">
        {toolCalls.map((call) => (
          <li key={call.callId} data-testid="span" data-kind="tool">
            <details>
              <summary>
                {call.toolId} <span class="muted">{call.status}</span>
              </summary>
              <Body value={call.inputs} />
              {call.outcome !== undefined && <Body value={call.outcome} />}
              {call.error !== undefined && <Body value={call.error} />}
            </details>
          </li>
        ))}
      </ol>
    </Section>
  );
