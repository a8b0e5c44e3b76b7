import { asId, type CalibrationRecord, type Digest } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { Store, StoredJudge } from '../../../packages/touchstone/src/ports/index.js';
import { ACME, OTHER_OWNERS, START } from './givens.js';

const judge = (version: string, digest: string): StoredJudge => ({
  judgeId: 'local.test.judges.tone',
  version: asId(version),
  digest: asId(digest),
  judge: { question: `of ${digest}` },
});

export function judgesCases(open: () => Promise<Store>): void {
  it('keeps a judge once: the same content again is the same, other content a conflict', async () => {
    const { judges } = await open();
    expect(await judges.install(ACME, judge('1.0.0', 'd-1'), START)).toBe('created');
    expect(await judges.install(ACME, judge('1.0.0', 'd-1'), START)).toBe('same');
    expect(await judges.install(ACME, judge('1.0.0', 'd-2'), START)).toBe('conflict');
    expect(await judges.get(ACME, 'local.test.judges.tone', asId('1.0.0'))).toEqual(judge('1.0.0', 'd-1'));
    expect(await judges.byDigest(ACME, asId('d-2'))).toBeUndefined();
  });

  it('keeps what a name meant before, by its digest, when the name is given to another', async () => {
    const store = await open();
    await store.judges.replace(ACME, judge('1.0.0', 'd-1'), START);
    await store.judges.replace(ACME, judge('1.0.0', 'd-2'), START);
    expect(await store.judges.list(ACME)).toEqual([judge('1.0.0', 'd-2')]);
    expect(await store.judges.byDigest(ACME, asId('d-1'))).toEqual({ question: 'of d-1' });
    await store.retain(ACME, { packs: [], agents: [], suites: [] });
    expect(await store.judges.list(ACME)).toEqual([]);
    expect(await store.judges.byDigest(ACME, asId('d-2'))).toEqual({ question: 'of d-2' });
  });

  it('shows no owner the judges of another', async () => {
    const { judges } = await open();
    await judges.install(ACME, judge('1.0.0', 'd-1'), START);
    for (const other of OTHER_OWNERS) {
      expect(await judges.list(other)).toEqual([]);
      expect(await judges.byDigest(other, asId('d-1'))).toBeUndefined();
      expect(await judges.install(other, judge('1.0.0', 'd-9'), START)).toBe('created');
    }
  });
}

const record = (recordId: string, suite: string, at = START): CalibrationRecord => ({
  recordId,
  judge: asId<Digest>('d-judge'),
  suite: asId<Digest>(suite),
  labelsDigest: asId<Digest>('d-labels'),
  by: asId('cli'),
  at,
  labels: [
    {
      task: 't',
      answer: 'a',
      criterion: asId('c-1'),
      person: true,
      judge: false,
      by: 'line 1',
      at,
      judgedAt: at,
    },
  ],
});

export function calibrationsCases(open: () => Promise<Store>): void {
  it('lists what was found of one judge for one suite, oldest first, and for its owner alone', async () => {
    const { calibrations } = await open();
    await calibrations.add(ACME, record('cal-2', 'd-suite', START + 1));
    await calibrations.add(ACME, record('cal-1', 'd-suite'));
    await calibrations.add(ACME, record('cal-3', 'd-other'));
    const list = await calibrations.list(ACME, asId('d-judge'), asId('d-suite'));
    expect(list).toEqual([record('cal-1', 'd-suite'), record('cal-2', 'd-suite', START + 1)]);
    expect(await calibrations.list(ACME, asId('d-else'), asId('d-suite'))).toEqual([]);
    for (const other of OTHER_OWNERS) {
      expect(await calibrations.list(other, asId('d-judge'), asId('d-suite'))).toEqual([]);
      expect(await calibrations.get(other, 'cal-1')).toBeUndefined();
    }
    expect(await calibrations.get(ACME, 'cal-1')).toEqual(record('cal-1', 'd-suite'));
  });
}
