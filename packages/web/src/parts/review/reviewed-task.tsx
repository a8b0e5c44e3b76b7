import type { ReviewItem, SessionFacts, TaskView } from '@touchstone/protocol';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { may, missingScope } from '../../access.js';
import { useQuery } from '../../queries/use-query.js';
import { type Draft, decide, type Verdict } from '../../review-draft.js';
import { client } from '../../source.js';
import { ErrorBox } from '../error-box.js';
import { type KeyMap, useKeys } from '../keys.js';
import { Skeleton } from '../states.js';
import { answered } from './answered.js';
import { DecisionPanel, type Denied } from './decision-panel.js';
import { JudgeVerdicts } from './judge-verdicts.js';
import { KappaSoFar } from './kappa-so-far.js';
import { ReviewAnswer } from './review-answer.js';
import type { Drafts } from './use-drafts.js';
import { useSaving } from './use-saving.js';

type ReviewedTaskProps = {
  readonly item: ReviewItem;
  readonly drafts: Drafts;
  readonly session: SessionFacts | undefined;
  /** How often something was recorded, so that kappa is asked for again. */
  readonly saves: number;
  readonly onSaved: () => void;
  readonly onSkip: () => void;
  readonly onBack: (() => void) | undefined;
};

/** One task: what was given and answered, and what a person makes of it. */
export function ReviewedTask({ item, drafts, session, saves, onSaved, onSkip, onBack }: ReviewedTaskProps) {
  const { runId, taskId } = item;
  const key = `${runId} ${taskId}`;
  const draft = drafts.of(key);
  const change = (next: (draft: Draft) => Draft): void => drafts.change(key, next);
  const task = useQuery(`task ${key}`, (signal) => client.task(runId, taskId, { signal }));
  const [repeat, setRepeat] = useState(0);
  const [place, setPlace] = useState(0);
  const saving = useSaving(item, draft, change, onSaved);
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the next key can come.
  useLayoutEffect(() => heading.current?.focus(), []);

  const judged = item.criteria.filter((criterion) => criterion.judged);
  const answer = item.answers[repeat];
  const say = (verdict: Verdict, criterion?: (typeof judged)[number]['id']): void =>
    change((old) => decide(old, answer, verdict, criterion));
  const sayOf = (at: number, verdict: 'met' | 'unmet'): void => {
    const criterion = judged[at];
    if (!criterion || answer === undefined) return;
    say(verdict, criterion.id);
    setPlace(Math.min(judged.length - 1, at + 1));
  };
  const see = (): void => change((old) => ({ ...old, isSeen: true }));
  const denied = deniedTo(session);
  const override = (): void => {
    change((old) => ({ ...old, override: old.override ?? { value: '', reason: '' } }));
    focus('override-value');
  };
  const keys: KeyMap<'review'> = {
    v: see,
    s: onSkip,
    '[': onBack,
    ...(denied.save === undefined && {
      m: () => sayOf(place, 'met'),
      u: () => sayOf(place, 'unmet'),
      p: () => say('pass'),
      x: () => say('fail'),
      f: () => change((old) => ({ ...old, isFlagged: !old.isFlagged })),
      o: denied.override === undefined ? override : undefined,
      n: () => focus('review-note'),
      Enter: saving.save,
    }),
  };
  const numbers = judged.slice(0, 9).map((_, at) => [String(at + 1), () => setPlace(at)] as const);
  useKeys('review', { ...keys, ...Object.fromEntries(numbers) });

  return (
    <article class="review-item" data-testid="review-item" data-run={runId} data-task={taskId}>
      <div class="review-left">
        <h2 ref={heading} tabIndex={-1} class="id">
          {taskId}
        </h2>
        {task.error !== undefined && <ErrorBox error={task.error} onRetry={task.reload} />}
        {task.data ? (
          <ReviewAnswer task={task.data} repeat={repeat} onRepeat={setRepeat} />
        ) : (
          task.error === undefined && <Skeleton rows={5} />
        )}
        {draft.isSeen && task.data && (
          <JudgeVerdicts item={item} task={task.data} invocation={answered(task.data)[repeat]} />
        )}
      </div>
      <div class="review-right">
        <DecisionPanel
          {...{ item, draft, answer, judged, place, keys, change, denied, saving }}
          sentences={sentencesOf(task.data)}
          onPlace={setPlace}
          onSay={sayOf}
        />
        {item.judge !== undefined && <KappaSoFar suiteId={item.suiteId} judge={item.judge} saves={saves} />}
      </div>
    </article>
  );
}

/** What this session may not do, and why. */
const deniedTo = (session: SessionFacts | undefined): Denied => ({
  override: missingScope(session, 'evals:override'),
  save: may(session, 'runs:create') ? undefined : missingScope(session, 'runs:annotate'),
});

const focus = (testId: string): void =>
  document.querySelector<HTMLElement>(`[data-testid=${testId}]`)?.focus();

const sentencesOf = (task: TaskView | undefined): readonly string[] =>
  ((task?.expected.rubric ?? []) as readonly { readonly criterion?: unknown }[]).map(({ criterion }) =>
    String(criterion),
  );
