import type { Json, TaskView } from '@touchstone/protocol';
import { duration, score, usd } from '@touchstone/sdk/view';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { hasContent } from '../../source.js';
import { Body } from '../body.js';
import { ChosenDiff } from '../diff.js';
import { Glyph } from '../glyphs.js';
import { useKeys } from '../keys.js';
import { Section } from '../section.js';
import { Criteria, type JudgeFacts } from './criteria.js';

type Invocation = TaskView['invocations'][number];

type TaskContentProps = {
  readonly task: TaskView;
  /** Who decided about criteria; undefined when that is not known. */
  readonly judge?: JudgeFacts | undefined;
  /** What the author of the suite calls it by. */
  readonly tags?: readonly string[];
  /** Below the result. */
  readonly heading?: ComponentChildren;
  /** What happened in a repeat, counted from 0. */
  readonly timeline?: (repeat: number) => ComponentChildren;
  readonly children?: ComponentChildren;
};

/** Everything there is to read about one task: what was given, expected and answered, and what was decided about it. */
export function TaskContent({ task, judge, tags = [], heading, timeline, children }: TaskContentProps) {
  const [repeat, setRepeat] = useState(0);
  const shown = Math.min(repeat, task.invocations.length - 1);
  const invocation = task.invocations[shown];
  return (
    <div class="task">
      <Summary task={task} invocation={invocation} />
      {tags.length > 0 && (
        <p class="muted" data-testid="task-tags">
          Tags: {tags.join(', ')}
        </p>
      )}
      {heading}
      {task.invocations.length > 1 && <Repeats task={task} repeat={shown} onChoose={setRepeat} />}
      {task.bodiesRemovedAt !== undefined && (
        <p class="note">The content of this run was removed {task.bodiesRemovedAt}.</p>
      )}
      {!hasContent() && (
        <p class="note">This file was written without inputs and answers. With --bodies it has them.</p>
      )}
      {invocation && (
        <>
          {hasContent() && (
            <>
              <Section name="Given">
                <Body value={invocation.input} testId="task-input" />
              </Section>
              <Answer task={task} invocation={invocation} />
            </>
          )}
          <Criteria task={task} invocation={invocation} judge={judge} />
          {timeline?.(shown)}
          <Findings invocation={invocation} />
          {invocation.printed !== undefined && (
            <Section name="Printed">
              <Body value={invocation.printed} />
            </Section>
          )}
        </>
      )}
      {children}
    </div>
  );
}

type InvocationProps = { readonly task: TaskView; readonly invocation: Invocation };

type SummaryProps = { readonly task: TaskView; readonly invocation: Invocation | undefined };

const Summary = ({ task, invocation }: SummaryProps) => {
  const isScored = task.unscored === undefined;
  const outcome = isScored ? (task.passed ? 'passed' : 'failed') : 'unscored';
  const { latencyMs, costUsd } = invocation?.result ?? {};
  const facts = [
    ...(task.bar === undefined ? [] : [`bar ${score(task.bar)}`]),
    ...(latencyMs === undefined ? [] : [duration(latencyMs)]),
    ...(costUsd === undefined ? [] : [usd(costUsd)]),
    ...(invocation?.attempts === undefined ? [] : [`asked ${invocation.attempts} times`]),
  ];
  return (
    <p class="task-summary">
      <Glyph outcome={outcome} /> <span class="strong">{isScored ? score(task.score) : task.unscored}</span>
      {facts.length > 0 && <span class="muted"> · {facts.join(' · ')}</span>}
    </p>
  );
};

type RepeatsProps = {
  readonly task: TaskView;
  readonly repeat: number;
  readonly onChoose: (repeat: number) => void;
};

/** Arrows move between tabs, as people who use a keyboard expect. */
const Repeats = ({ task, repeat, onChoose }: RepeatsProps) => {
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const { length } = task.invocations;
    const next = (repeat + step + length) % length;
    onChoose(next);
    (event.currentTarget as Element).querySelectorAll('button')[next]?.focus();
  };
  return (
    <div class="repeats" role="tablist" aria-label="Repeats" onKeyDown={move}>
      {task.invocations.map(({ invocationId, result }, at) => (
        <button
          key={invocationId}
          type="button"
          role="tab"
          aria-selected={at === repeat}
          tabIndex={at === repeat ? 0 : -1}
          onClick={() => onChoose(at)}
        >
          {at + 1} <span class="muted">{result === undefined ? '' : score(result.score)}</span>
        </button>
      ))}
    </div>
  );
};

/** What was expected beside what was answered, or the difference between them. */
function Answer({ task, invocation }: InvocationProps) {
  const [isCompared, setCompared] = useState(false);
  const { output } = invocation;
  const expected = expectedOf(task);
  const canCompare = expected !== undefined && output !== undefined;
  useKeys('task', { d: canCompare ? () => setCompared(!isCompared) : undefined });
  const toggle = canCompare && (
    <button
      type="button"
      class="quiet"
      title="d"
      aria-pressed={isCompared}
      onClick={() => setCompared(!isCompared)}
    >
      Difference
    </button>
  );
  if (isCompared && canCompare)
    return (
      <Section name="Expected and answer" beside={toggle}>
        <ChosenDiff before={expected} after={output} />
      </Section>
    );
  return (
    <div class="beside">
      {expected !== undefined && (
        <Section name="Expected" beside={<span class="muted">{strategyOf(task)}</span>}>
          <Body value={expected} testId="task-expected" />
        </Section>
      )}
      <Section name="Answer" beside={toggle}>
        {output === undefined ? (
          <p class="muted">
            No answer: {invocation.outcome}. {invocation.reason}
          </p>
        ) : (
          <Body value={output} testId="task-output" />
        )}
        {output !== undefined && invocation.reason !== undefined && <p class="note">{invocation.reason}</p>}
      </Section>
    </div>
  );
}

/** What a golden task is held against; a rubric is shown by its criteria. */
function expectedOf({ expected }: TaskView): Json | undefined {
  const match = expected.match as { readonly value?: Json } | undefined;
  return match?.value;
}

/** How the answer is held against it: `exact`, `contains` and so on. */
const strategyOf = ({ expected }: TaskView): string | undefined =>
  (expected.match as { readonly strategy?: string } | undefined)?.strategy;

const Findings = ({ invocation: { result } }: Pick<InvocationProps, 'invocation'>) =>
  (result?.findings ?? []).length === 0 ? null : (
    <Section name="Findings">
      {result?.findings?.map(({ kind, severity }) => (
        <p key={kind + severity} data-testid="finding" data-severity={severity}>
          {kind} <span class={`severity ${severity}`}>{severity}</span>
        </p>
      ))}
    </Section>
  );
