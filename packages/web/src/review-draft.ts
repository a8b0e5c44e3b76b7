import { type ReviewItem, type ReviewLabel, writeReviewLabel } from '@touchstone/protocol';
import type { NewAnnotation } from '@touchstone/sdk';

// What a person has decided about a task and not sent yet.

/** By answer and criterion; the answer as a whole has no criterion. */
type DraftLabel = ReviewLabel & { readonly answer?: string | undefined };

export type Draft = {
  readonly labels: { readonly [subject: string]: DraftLabel };
  readonly isFlagged: boolean;
  readonly note: string;
  /** Absent until the person wants to override. */
  readonly override?: { readonly value: string; readonly reason: string };
  /** The judge has been shown: what is decided from then on is not blind. */
  readonly isSeen: boolean;
  /** What has been recorded, so that nothing is sent twice. */
  readonly sent: readonly string[];
};

export const EMPTY_DRAFT: Draft = { labels: {}, isFlagged: false, note: '', isSeen: false, sent: [] };

export const subjectOf = (answer: string | undefined, criterion?: string): string =>
  `${answer ?? ''} ${criterion ?? ''}`;

export type Verdict = ReviewLabel['verdict'];

/** Decides; the same once more takes it back. */
export function decide(
  draft: Draft,
  answer: string | undefined,
  verdict: Verdict,
  criterion?: ReviewLabel['criterion'],
): Draft {
  const subject = subjectOf(answer, criterion);
  const { [subject]: before, ...others } = draft.labels;
  if (before?.verdict === verdict) return { ...draft, labels: others };
  const label = { verdict, seen: draft.isSeen, answer, ...(criterion !== undefined && { criterion }) };
  return { ...draft, labels: { ...others, [subject]: label } };
}

/** The annotations that a draft becomes, without those that have been recorded already. */
export function annotationsOf(draft: Draft, item: ReviewItem): readonly NewAnnotation[] {
  const target = (answer: string | undefined) => (answer ? { eventId: answer } : { nodeId: item.taskId });
  const said: NewAnnotation[] = Object.values(draft.labels).map(({ answer, ...label }) => ({
    signal: { kind: 'label', label: writeReviewLabel(label) },
    target: target(answer),
  }));
  if (draft.isFlagged) said.push({ signal: { kind: 'flag' }, target: target(item.answers[0]) });
  const note = draft.note.trim();
  const [first, ...rest] = said;
  const noted: readonly NewAnnotation[] =
    note === '' ? said : first ? [{ ...first, note }, ...rest] : [noteAlone(item, note)];
  return [...noted, ...overridesOf(draft, item)].filter((one) => !draft.sent.includes(JSON.stringify(one)));
}

const noteAlone = (item: ReviewItem, note: string): NewAnnotation => ({
  signal: { kind: 'label', label: 'note' },
  target: item.answers[0] ? { eventId: item.answers[0] } : { nodeId: item.taskId },
  note,
});

const overridesOf = ({ override }: Draft, { scored }: ReviewItem): readonly NewAnnotation[] =>
  override && scored !== undefined
    ? [
        {
          signal: { kind: 'correction', correction: JSON.stringify({ score: Number(override.value) }) },
          target: { eventId: scored },
          note: override.reason.trim(),
        },
      ]
    : [];

/** Why a draft cannot be saved; undefined when it can. */
export function draftTrouble(draft: Draft, item: ReviewItem): string | undefined {
  const { override } = draft;
  if (
    override &&
    (override.value.trim() === '' || !(Number(override.value) >= 0 && Number(override.value) <= 1))
  )
    return 'An override needs a score from 0 to 1.';
  if (override && override.reason.trim() === '') return 'An override needs a reason.';
  if (annotationsOf(draft, item).length === 0 && draft.sent.length === 0)
    return 'Nothing is decided yet. Decide, or skip this task with s.';
  return undefined;
}
