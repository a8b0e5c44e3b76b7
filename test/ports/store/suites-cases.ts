import { asId, type Digest } from '@touchstone/protocol';
import { type Task, toBody } from '@touchstone/protocol/bodies';
import { expect, it } from 'vitest';
import type { Store, Suite } from '../../../packages/touchstone/src/ports/index.js';
import { ACME, refusalOf, START, taskName } from './givens.js';

export const task = (ordinal: number, text = 'What?'): Task => ({
  taskId: taskName(ordinal),
  input: toBody({ text }),
  expected: { kind: 'golden', match: { strategy: 'exact', value: toBody(ordinal) } },
  ...(ordinal % 2 === 0 && { fixtures: { toolResponses: [], memorySeed: [] } }),
});

export const suite = (
  suiteId: string,
  version: string,
  digest: string,
  tasks: readonly Task[] = [task(0)],
): Suite => ({
  head: {
    suiteId: asId(suiteId),
    version: asId(version),
    digest: asId(digest),
    modes: ['golden'],
    thresholds: { passScore: 0.9 },
    taskCount: tasks.length,
    judgedTasks: 0,
    rubricTasks: 0,
  },
  tasks,
});

export function suitesCases(open: () => Promise<Store>): void {
  it('a signature is kept with the suite, and the word of a pack does not replace an envelope', async () => {
    const store = await open();
    const { head, tasks } = suite('core.signed', '1.0.0', 'd-signed');
    const byPack = { keyId: 'vendor', pack: 'vendor.acme.support@1.0.0' };
    const byEnvelope = { keyId: 'alice', envelope: '{"payload":""}' };
    await store.suites.put(ACME, { head, tasks }, START);
    expect(await store.suites.signature(ACME, head.digest)).toBeUndefined();
    await store.suites.sign(ACME, head.digest, byPack, START);
    expect(await store.suites.signature(ACME, head.digest)).toEqual(byPack);
    await store.suites.put(ACME, { head, tasks }, START, byEnvelope);
    await store.suites.sign(ACME, head.digest, byPack, START);
    expect(await store.suites.signature(ACME, head.digest)).toEqual(byEnvelope);
    await store.suites.put(ACME, { head, tasks }, START);
    expect(await store.suites.signature(ACME, head.digest)).toEqual(byEnvelope);
  });

  it('a suite of many chunks is read in pages that may begin and end anywhere', async () => {
    const store = await open();
    // The two long tasks make chunks end before they are full.
    const texts = new Map([
      [300, 'x'.repeat(700_000)],
      [301, 'y'.repeat(700_000)],
    ]);
    const tasks = Array.from({ length: 900 }, (_, i) => task(i, texts.get(i)));
    const big = suite('core.big', '1.0.0', 'd-big', tasks);
    const { digest } = big.head;
    await store.suites.put(ACME, big, START);
    expect(await store.suites.tasks(ACME, digest, 0, 1_000)).toStrictEqual(tasks);
    for (const [from, limit] of [
      [0, 1],
      [255, 2],
      [256, 256],
      [299, 4],
      [511, 300],
      [899, 5],
      [900, 5],
      [10, 0],
    ] as const) {
      expect(await store.suites.tasks(ACME, digest, from, limit)).toStrictEqual(
        tasks.slice(from, from + limit),
      );
    }
    for (const ordinal of [0, 255, 256, 300, 301, 899]) {
      expect(await store.suites.ordinalOf(ACME, digest, taskName(ordinal))).toBe(ordinal);
    }
    for (const absent of ['task-900', 'task-', '', '"', '","']) {
      expect(await store.suites.ordinalOf(ACME, digest, asId(absent))).toBeUndefined();
    }
  });

  it('an id that looks like JSON is found as itself', async () => {
    const store = await open();
    const names = ['a","b', 'b', '"a"', '\\', 'é'];
    const tasks = names.map((name, i) => ({ ...task(i), taskId: asId<Task['taskId']>(name) }));
    await store.suites.put(ACME, suite('core.odd', '1.0.0', 'd-odd', tasks), START);
    for (const [ordinal, name] of names.entries()) {
      expect(await store.suites.ordinalOf(ACME, asId('d-odd'), asId(name))).toBe(ordinal);
    }
  });

  it('a version names what was put under it last; what it named before stays readable by digest', async () => {
    const store = await open();
    const digestOfVersion = async () => (await store.suites.get(ACME, asId('core.s'), asId('1.0.0')))?.digest;
    const first = suite('core.s', '1.0.0', 'd1');
    const second = suite('core.s', '1.0.0', 'd2', [task(0, 'edited')]);
    await store.suites.put(ACME, first, START);
    await store.suites.put(ACME, second, START);
    expect(await digestOfVersion()).toBe('d2');
    expect(await store.suites.byDigest(ACME, asId('d1'))).toStrictEqual(first.head);
    expect(await store.suites.tasks(ACME, asId('d1'), 0, 9)).toStrictEqual(first.tasks);
    await store.suites.put(ACME, first, START);
    expect(await digestOfVersion()).toBe('d1');
    expect((await store.suites.list(ACME, 9)).items).toHaveLength(1);
  });

  it('the same suite put twice at once is one suite', async () => {
    const store = await open();
    const twice = suite('core.s', '1.0.0', 'd1', [task(0), task(1)]);
    await Promise.all([store.suites.put(ACME, twice, START), store.suites.put(ACME, twice, START + 1)]);
    expect(await store.suites.tasks(ACME, asId('d1'), 0, 9)).toStrictEqual(twice.tasks);
  });

  it('lists page by page in order of id and version, and versions in order of installation', async () => {
    const store = await open();
    for (const [i, [id, version]] of [
      ['b', '2.0.0'],
      ['b', '10.0.0'],
      ['a', '1.0.0'],
      ['c', '1.0.0'],
    ].entries()) {
      await store.suites.put(ACME, suite(id as string, version as string, `d${i}`), START + i);
    }
    expect(await store.suites.versions(ACME, asId('b'))).toEqual(['2.0.0', '10.0.0']);
    const first = await store.suites.list(ACME, 3);
    const second = await store.suites.list(ACME, 3, first.nextCursor);
    expect([...first.items, ...second.items].map((head) => head.digest)).toEqual([
      'd2',
      'd1',
      'd0',
      'd3',
    ] as unknown as Digest[]);
    expect(second).not.toHaveProperty('nextCursor');
    expect(await refusalOf(store.suites.list(ACME, 3, 'nonsense'))).toMatchObject({
      code: 'validation_error',
      details: { field: 'cursor' },
    });
  });
}
