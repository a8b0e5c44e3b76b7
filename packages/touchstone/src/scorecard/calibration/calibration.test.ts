import { asId, type CalibrationLabel } from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldCalibration, unnamedLabel } from './calibration.js';

const label = (answer: string, by: string, person: boolean, more: Partial<CalibrationLabel> = {}) => ({
  task: answer,
  answer,
  criterion: asId<CalibrationLabel['criterion']>('c-1'),
  person,
  judge: true,
  by,
  at: 1,
  judgedAt: 10,
  ...more,
});

describe('the calibration of a judge', () => {
  it('counts the same answer once for a criterion, however often it was labelled', () => {
    const again = Array.from({ length: 50 }, (_, at) => label('a', 'ann', true, { at, judgedAt: at }));
    expect(foldCalibration(again)).toMatchObject({ n: 1, reviewers: 1 });
    const others = again.map((one, at) => ({ ...one, by: `p${at}` }));
    expect(foldCalibration(others)).toMatchObject({ n: 1, reviewers: 50 });
    const criteria = [label('a', 'ann', true), label('a', 'ann', true, { criterion: asId('c-2') })];
    expect(foldCalibration(criteria).n).toBe(2);
  });

  it('takes the latest label of a person, the majority of people, and nothing where they are divided', () => {
    const changed = [label('a', 'ann', true, { at: 1 }), label('a', 'ann', false, { at: 2 })];
    expect(foldCalibration(changed).counted).toMatchObject([{ person: false }]);
    expect(foldCalibration(changed.toReversed()).counted).toMatchObject([{ person: false }]);
    const divided = [label('a', 'ann', true), label('a', 'bob', false)];
    expect(foldCalibration(divided).n).toBe(0);
    expect(foldCalibration([...divided, label('a', 'eve', false)]).counted).toMatchObject([
      { person: false },
    ]);
  });

  it('takes what the judge said last', () => {
    const twice = [
      label('a', 'ann', true, { judge: false, judgedAt: 20 }),
      label('a', 'bob', true, { judge: true, judgedAt: 10 }),
    ];
    expect(foldCalibration(twice).counted).toMatchObject([{ judge: false }]);
  });

  it('leaves out seen labels, old verdicts and a person, where it is told to', () => {
    const labels = [
      label('a', 'ann', true),
      label('b', 'ann', false, { seen: true }),
      label('c', 'bob', false, { judgedAt: 100 }),
    ];
    expect(foldCalibration(labels)).toMatchObject({ n: 3, blind: 2 });
    expect(foldCalibration(labels, { blindOnly: true }).n).toBe(2);
    expect(foldCalibration(labels, { since: 11 }).n).toBe(1);
    expect(foldCalibration(labels, { notBy: 'ann' }).n).toBe(1);
    expect(foldCalibration(labels, { since: 10, notBy: 'bob', blindOnly: true })).toMatchObject({
      n: 1,
      oldestAt: '1970-01-01T00:00:00.010Z',
      newestAt: '1970-01-01T00:00:00.010Z',
    });
  });

  it('has no kappa, and no interval of it, when both say the same everywhere', () => {
    const labels = ['a', 'b', 'c'].map((answer) => label(answer, 'ann', true));
    const { kappa, kappaInterval, agreement } = foldCalibration(labels);
    expect([kappa, kappaInterval, agreement]).toEqual([undefined, undefined, 1]);
    expect(foldCalibration([])).toEqual({ n: 0, blind: 0, reviewers: 0, confusion: ZERO, counted: [] });
  });

  it('does not depend on the order of the labels', () => {
    const some = fc.record({
      task: fc.constantFrom('t1', 't2', 't3'),
      answer: fc.constantFrom('a1', 'a2', 'a3', 'a4'),
      criterion: fc.constantFrom('c-1', 'c-2').map((id) => asId<CalibrationLabel['criterion']>(id)),
      person: fc.boolean(),
      judge: fc.boolean(),
      by: fc.constantFrom('ann', 'bob', unnamedLabel(3)),
      at: fc.nat(1_000),
      judgedAt: fc.nat(1_000),
    });
    const labels = fc.uniqueArray(some, { selector: ({ at }) => at, maxLength: 20 }).map((all) =>
      // The same answer belongs to one task, and no two verdicts are of the same moment.
      all.map((one, at) => ({ ...one, task: one.answer, judgedAt: 1_000 * one.judgedAt + at })),
    );
    fc.assert(
      fc.property(labels, (all) => {
        expect(foldCalibration(all.toReversed())).toEqual(foldCalibration(all));
      }),
      { numRuns: 50 },
    );
  });

  it('counts people by their names, and lines without one as nobody’s', () => {
    const labels = [label('a', 'ann', true), label('b', unnamedLabel(2), true)];
    expect(foldCalibration(labels)).toMatchObject({ n: 2, reviewers: 1 });
  });
});

const ZERO = { tp: 0, fp: 0, fn: 0, tn: 0 };
