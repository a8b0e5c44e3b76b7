import { asId, type RunId } from '@touchstone/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Annotation, LabelFilter, Store } from '../../../packages/touchstone/src/ports/index.js';
import {
  ACME,
  commitSteps,
  createRun,
  endingCommit,
  leasedRun,
  OTHER_OWNERS,
  refusalOf,
  runIdOf,
  START,
} from './givens.js';

export const annotation = (
  annotationId: string,
  overrides: Partial<Annotation> = {},
  runId: RunId = runIdOf('r1'),
): Annotation => ({
  annotationId: asId(annotationId),
  runId,
  signal: { kind: 'flag' },
  by: asId('ann'),
  at: START,
  ...overrides,
});

const ODD = 'NUL \u0000, lone \ud800, "quoted" \\ ü';
const idsOf = (list: readonly Annotation[]) => list.map(({ annotationId }) => annotationId);

export function annotationsCases(open: () => Promise<Store>): void {
  it('an annotation is read back as it was added, whatever it is about and whatever characters it holds', async () => {
    const store = await open();
    await createRun(store, 'r1');
    const added = [
      annotation('flag'),
      annotation('rating', { signal: { kind: 'rating', rating: 5 }, note: '' }),
      annotation('label', { signal: { kind: 'label', label: ODD }, nodeId: ODD }),
      annotation('correction', {
        signal: { kind: 'correction', correction: ODD },
        eventId: asId('r1:3'),
        nodeId: '',
        note: ODD,
        override: { score: 0.9 },
      }),
      annotation('side', { override: { score: 0, passed: false } }),
    ];
    for (const each of added) await store.annotations.add(ACME, each);
    expect(await store.annotations.list(ACME, runIdOf('r1'))).toStrictEqual(added);
  });

  it('a list holds one run, oldest first, and in the order of adding what came at the same moment', async () => {
    const store = await open();
    let runs = 0;
    const moments = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 40 });
    const property = fc.asyncProperty(moments, async (offsets) => {
      runs += 1;
      const { runId } = await createRun(store, `list-${runs}`);
      const added = offsets.map((offset, i) => annotation(`a${99 - i}`, { at: START + offset }, runId));
      await Promise.all(added.map((each) => store.annotations.add(ACME, each)));
      const expected = [...added].sort((a, b) => a.at - b.at);
      expect(idsOf(await store.annotations.list(ACME, runId))).toEqual(idsOf(expected));
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('thousands on one run all come back', async () => {
    const store = await open();
    const { runId } = await createRun(store, 'r1');
    const many = Array.from({ length: 3_000 }, (_, i) => annotation(`a${i}`, { at: START + i }));
    await Promise.all(many.map((each) => store.annotations.add(ACME, each)));
    expect(await store.annotations.list(ACME, runId)).toEqual(many);
  });

  it('a run that is not there, or is of another owner, takes none and nobody hears of it', async () => {
    const store = await open();
    const { runId } = await createRun(store, 'r1');
    const heard: Annotation[] = [];
    for (const owner of [ACME, ...OTHER_OWNERS])
      for (const watched of [runId, runIdOf('r2')])
        store.annotations.watch(owner, watched, (added) => heard.push(added));
    const attempts = [
      ...OTHER_OWNERS.map((owner) => store.annotations.add(owner, annotation('a'))),
      store.annotations.add(ACME, annotation('b', {}, runIdOf('r2'))),
    ];
    for (const attempt of attempts)
      expect(await refusalOf(attempt)).toMatchObject({
        code: 'not_found',
        message: 'There is no such run.',
      });
    await store.annotations.add(ACME, annotation('c'));
    expect(idsOf(heard)).toEqual(['c']);
    expect(idsOf(await store.annotations.list(ACME, runId))).toEqual(['c']);
  });

  it('a second one of the same id is refused and the first stays', async () => {
    const store = await open();
    const { runId } = await createRun(store, 'r1');
    await store.annotations.add(ACME, annotation('a', { note: 'first' }));
    const again = store.annotations.add(ACME, annotation('a', { note: 'second' }));
    expect((await refusalOf(again)).code).toBe('conflict');
    expect(await store.annotations.list(ACME, runId)).toEqual([annotation('a', { note: 'first' })]);
  });

  it('annotating a finished run changes neither its row nor its log', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    await store.log.commit(lease, endingCommit(await commitSteps(store, lease, [0])));
    const view = () =>
      Promise.all([store.runs.get(ACME, run.runId), store.log.read(ACME, run.runId, -1, 100)]);
    const before = await view();
    await store.annotations.add(ACME, annotation('a', { eventId: asId('r1:3'), override: { score: 0 } }));
    expect(await view()).toStrictEqual(before);
  });

  it('who watches a run hears of each of its annotations once it can be read, until it leaves', async () => {
    const store = await open();
    const { runId } = await createRun(store, 'r1');
    await createRun(store, 'r2');
    const heard: string[] = [];
    const lists: { readonly heard: readonly string[]; readonly read: Promise<readonly Annotation[]> }[] = [];
    const leave = store.annotations.watch(ACME, runId, ({ annotationId }) => {
      heard.push(annotationId);
      lists.push({ heard: [...heard], read: store.annotations.list(ACME, runId) });
    });
    const leaveToo = store.annotations.watch(ACME, runId, () => leaveToo());
    for (const other of OTHER_OWNERS) store.annotations.watch(other, runId, () => heard.push('other'));
    const adding = [annotation('a'), annotation('b', {}, runIdOf('r2')), annotation('c')].map((each) =>
      store.annotations.add(ACME, each),
    );
    expect(heard).toEqual([]);
    await Promise.all(adding);
    expect(heard).toEqual(['a', 'c']);
    expect(lists).toHaveLength(2);
    for (const { heard: known, read } of lists)
      expect(idsOf(await read)).toEqual(expect.arrayContaining([...known]));
    leave();
    await store.annotations.add(ACME, annotation('d'));
    expect(heard).toEqual(['a', 'c']);
  });

  it('labels are found over all runs of an owner by their beginning, oldest first, and by suite, run and age', async () => {
    const store = await open();
    await createRun(store, 'r1');
    await createRun(store, 'r2');
    const label = (annotationId: string, text: string, at: number, run: string) =>
      annotation(annotationId, { signal: { kind: 'label', label: text }, at }, runIdOf(run));
    const added = [
      label('late', 'review:pass', START + 2, 'r1'),
      label('early', 'review:"met":c-1', START + 1, 'r2'),
      label('other', 'tone review:pass', START, 'r1'),
      annotation('note', { note: '"label":"review:pass"' }),
      annotation('flag'),
    ];
    for (const each of added) await store.annotations.add(ACME, each);
    const found = async (...more: [beginning?: string, filter?: LabelFilter]) =>
      idsOf(await store.annotations.labelled(ACME, more[0] ?? 'review:', more[1]));
    expect(await found()).toEqual(['early', 'late']);
    expect(await found('review:"')).toEqual(['early']);
    expect(await found('review:', { runId: 'r1' })).toEqual(['late']);
    expect(await found('review:', { since: START + 2 })).toEqual(['late']);
    expect(await found('review:', { suiteId: 'no-such-suite' })).toEqual([]);
    const run = await store.runs.get(ACME, runIdOf('r1'));
    const suiteId = run?.plan.kind === 'eval' ? run.plan.suite.suiteId : '';
    expect(await found('review:', { suiteId })).toEqual(['early', 'late']);
    for (const other of OTHER_OWNERS) expect(await store.annotations.labelled(other, 'review:')).toEqual([]);
  });
}
