import { asId, type RunId } from '@touchstone/protocol';
import type { EvalRunSnapshot } from '@touchstone/sdk';
import { expect, test } from 'vitest';
import { measureOf, pickOfEach, whyNothingFits } from './baseline-choice.js';

const run = (more: object = {}): EvalRunSnapshot =>
  ({ touchstone: { suite: { digest: 'sha256:s' }, repeats: 1, tasks: {}, ...more } }) as EvalRunSnapshot;
const WAYS: readonly (readonly [more: object, words: string])[] = [
  [{ suite: { digest: 'sha256:t' } }, 'the suite has changed since'],
  [{ repeats: 2 }, 'with another number of repeats'],
  [{ tasks: { selection: 'x' } }, 'of other tasks of the suite'],
  [{ judge: { digest: 'sha256:j' } }, 'scored by another judge'],
  [{ safetyPolicy: 'sha256:p' }, 'held to other rules of safety'],
  [{ contract: 'sha256:c' }, 'under another contract'],
  [{ embedder: { provider: 'local', model: 'embed-1' } }, 'with another embedder'],
];

test.each(WAYS)('a run that differs in %j is told apart, and why', (more, words) => {
  const [one, other] = [measureOf(run()), measureOf(run(more))];
  expect(whyNothingFits([one], other)).toBe(`There is 1 earlier run, but ${words}.`);
  const runs = [one, other, one].map((measure, at) => ({ ...measure, runId: asId<RunId>(`run-${at}`) }));
  expect(pickOfEach(runs)).toEqual(['run-0', 'run-1']);
  expect(pickOfEach(runs, 1)).toEqual(['run-2']);
});
