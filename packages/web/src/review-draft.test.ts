import { asId, type ReviewItem } from '@touchstone/protocol';
import { describe, expect, test } from 'vitest';
import { annotationsOf, type Draft, decide, draftTrouble, EMPTY_DRAFT } from './review-draft.js';

const item: ReviewItem = {
  runId: asId('run-1'),
  suiteId: asId('local.a.evals.b'),
  taskId: asId('t'),
  n: 0,
  source: 'failures',
  answers: [asId('run-1:3')],
  score: 0,
  passed: false,
  criteria: [{ id: asId('c-1'), judged: true }],
  reviews: [],
  scored: asId('run-1:9'),
};
const criterion = asId<ReviewItem['criteria'][number]['id']>('c-1');
const labelsOf = (draft: Draft) =>
  annotationsOf(draft, item).map(({ signal }) => (signal.kind === 'label' ? signal.label : signal.kind));

describe('a draft', () => {
  test('keeps blind what was decided before the judge was shown', () => {
    const blind = decide(EMPTY_DRAFT, 'run-1:3', 'met', criterion);
    const seen = decide({ ...blind, isSeen: true }, 'run-1:3', 'fail');
    expect(labelsOf(seen)).toEqual(['review:met:c-1', 'review:fail:seen']);
    expect(labelsOf(decide(seen, 'run-1:3', 'unmet', criterion))).toContain('review:unmet:c-1:seen');
  });

  test('takes a decision back when it is made once more', () => {
    const once = decide(EMPTY_DRAFT, 'run-1:3', 'pass');
    expect(labelsOf(decide(once, 'run-1:3', 'pass'))).toEqual([]);
  });

  test('sends nothing a second time', () => {
    const draft = decide(EMPTY_DRAFT, 'run-1:3', 'met', criterion);
    const [first] = annotationsOf(draft, item);
    const sent = { ...draft, sent: [JSON.stringify(first)] };
    expect(labelsOf(sent)).toEqual([]);
    expect(labelsOf(decide(sent, 'run-1:3', 'pass'))).toEqual(['review:pass']);
  });

  test('puts a note with the first decision, or lets it stand alone', () => {
    const noted = { ...EMPTY_DRAFT, note: ' why ' };
    expect(annotationsOf(noted, item)).toEqual([
      { signal: { kind: 'label', label: 'note' }, target: { eventId: 'run-1:3' }, note: 'why' },
    ]);
    expect(annotationsOf(decide(noted, 'run-1:3', 'pass'), item)).toMatchObject([
      { signal: { label: 'review:pass' }, note: 'why' },
    ]);
  });

  test('is about the task where there is no answer', () => {
    const draft = decide({ ...EMPTY_DRAFT, isFlagged: true }, undefined, 'fail');
    expect(annotationsOf(draft, { ...item, answers: [] }).map(({ target }) => target)).toEqual([
      { nodeId: 't' },
      { nodeId: 't' },
    ]);
  });

  test.each([
    ['', 'because', 'score'],
    ['1.5', 'because', 'score'],
    ['half', 'because', 'score'],
    ['0.5', '  ', 'reason'],
  ])('with an override to %j for %j lacks a %s', (value, reason, lacking) => {
    expect(draftTrouble({ ...EMPTY_DRAFT, override: { value, reason } }, item)).toContain(lacking);
  });

  test('with an override names the event of the score', () => {
    const draft = { ...EMPTY_DRAFT, override: { value: '0.5', reason: 'so' } };
    expect(draftTrouble(draft, item)).toBeUndefined();
    expect(annotationsOf(draft, item)).toEqual([
      {
        signal: { kind: 'correction', correction: '{"score":0.5}' },
        target: { eventId: 'run-1:9' },
        note: 'so',
      },
    ]);
  });

  test('that says nothing is not saved', () => {
    expect(draftTrouble(EMPTY_DRAFT, item)).toContain('Nothing is decided');
  });
});
