import { expect, test } from 'vitest';
import { asId } from './ids.js';
import { parseReviewLabel, type ReviewLabel, writeReviewLabel } from './review.js';

test.each<[string, ReviewLabel]>([
  ['review:met:c-1', { verdict: 'met', criterion: asId('c-1'), seen: false }],
  ['review:unmet:c-1:seen', { verdict: 'unmet', criterion: asId('c-1'), seen: true }],
  ['review:pass', { verdict: 'pass', seen: false }],
  ['review:fail:seen', { verdict: 'fail', seen: true }],
])('%s is a decision, and is written like this', (label, decision) => {
  expect(parseReviewLabel(label)).toEqual(decision);
  expect(writeReviewLabel(decision)).toBe(label);
});

test.each([
  'tone',
  'review:',
  'review:met',
  'review:met:',
  'review:pass:c-1',
  'a review:pass',
  'review:maybe',
])('%s is an ordinary remark', (label) => {
  expect(parseReviewLabel(label)).toBeUndefined();
});
