import { createHash } from 'node:crypto';
import { canonicalJson, type Json, type Scorecard } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { FILES, judgeFacts, PARTS } from './parts.js';

const CONTRACT = canonicalJson({ judgeId: 'acme.judges.tone', version: '1.0.0' });
const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const card = {
  suite: { suiteId: 'acme.evals.desk', version: '1.0.0', digest: 'sha256:suite' },
  judge: { digest: 'sha256:judge', promptDigest: digestOf(CONTRACT), portable: 'acme.judges.tone@1.0.0' },
} as unknown as Scorecard;
const CALIBRATION = { judge: 'sha256:judge', suite: 'sha256:suite', n: 60, kappa: 0.82 };

const check = (changes: { readonly [name: string]: string | undefined }) => {
  const given: { [name: string]: string | undefined } = {
    [FILES.judge]: canonicalJson(judgeFacts(card) as Json),
    [FILES.judgeContract]: CONTRACT,
    [FILES.calibration]: canonicalJson(CALIBRATION),
    ...changes,
  };
  const files = new Map(
    Object.entries(given).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, Buffer.from(text)] as const],
    ),
  );
  return PARTS.judge.check({ files, scorecard: card, keys: [] });
};

describe('the judge of a bundle', () => {
  it('may come with what it asks and with what labels show of it', () => {
    expect(check({})).toEqual({
      doubts: [],
      notes: ['60 labels of people were held against the judge, kappa 0.82.'],
    });
    expect(check({ [FILES.judgeContract]: undefined, [FILES.calibration]: undefined })).toEqual({
      doubts: [],
      notes: [],
    });
  });

  it.each([
    ['another judge asks', { [FILES.judgeContract]: CONTRACT.replace('tone', 'mild') }, 'contradictory'],
    [
      'labels are about another judge',
      { [FILES.calibration]: canonicalJson({ ...CALIBRATION, judge: 'sha256:x' }) },
      'contradictory',
    ],
    [
      'labels are about another suite',
      { [FILES.calibration]: canonicalJson({ ...CALIBRATION, suite: 'sha256:x' }) },
      'contradictory',
    ],
    ['labels are no record', { [FILES.calibration]: '[]' }, 'malformed'],
    ['the identity is another one', { [FILES.judge]: '{}' }, 'contradictory'],
    ['the identity is missing', { [FILES.judge]: undefined }, 'malformed'],
  ])('is in doubt when %s', (_what, changes, code) => {
    expect(check(changes).doubts.map((one) => one.code)).toEqual([code]);
  });
});
