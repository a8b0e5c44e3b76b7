import { expect, it } from 'vitest';
import type { Store, Webhook } from '../../../packages/touchstone/src/ports/index.js';
import { ACME, OTHER_OWNERS, refusalOf, START } from './givens.js';

export const webhook = (webhookId: string, overrides: Partial<Webhook> = {}): Webhook => ({
  webhookId,
  url: 'https://hooks.example/in',
  events: ['run.completed'],
  secret: 'c0ffee',
  principal: 'ci',
  createdAt: START,
  failures: 0,
  ...overrides,
});

const ODD = 'https://hooks.example/\u0000?\ud800="ü"';
const idsOf = async (store: Store) => (await store.webhooks.list(ACME)).map(({ webhookId }) => webhookId);

export function webhooksCases(open: () => Promise<Store>): void {
  it('a webhook is read back as it was added, and no tags differ from an empty list of them', async () => {
    const store = await open();
    const added = [
      webhook('w1', { url: ODD, events: ['eval.scored', 'run.failed'], tags: ['', ODD] }),
      webhook('w2', { tags: [], failures: 3, openUntil: START + 5 }),
      webhook('w3'),
    ];
    for (const each of added) await store.webhooks.add(ACME, each);
    expect(await store.webhooks.list(ACME)).toStrictEqual(added);
  });

  it('the list has all of them, oldest first, and in the order of adding what came at the same moment', async () => {
    const store = await open();
    const many = Array.from({ length: 500 }, (_, i) =>
      webhook(`w${999 - i}`, { createdAt: START + (i % 3) }),
    );
    await Promise.all(many.map((each) => store.webhooks.add(ACME, each)));
    const expected = [...many].sort((a, b) => a.createdAt - b.createdAt);
    expect(await store.webhooks.list(ACME)).toEqual(expected);
  });

  it('one of an id that is taken is refused, and the first stays', async () => {
    const store = await open();
    await store.webhooks.add(ACME, webhook('w1'));
    const again = store.webhooks.add(ACME, webhook('w1', { secret: 'other' }));
    expect((await refusalOf(again)).code).toBe('conflict');
    expect(await store.webhooks.list(ACME)).toEqual([webhook('w1')]);
  });

  it('health is noted and forgotten again without touching anything else', async () => {
    const store = await open();
    const full = webhook('w1', { tags: ['t'] });
    for (const each of [full, webhook('w2')]) await store.webhooks.add(ACME, each);
    await store.webhooks.note(ACME, 'w1', { failures: 4, openUntil: START + 9 });
    expect(await store.webhooks.list(ACME)).toStrictEqual([
      { ...full, failures: 4, openUntil: START + 9 },
      webhook('w2'),
    ]);
    await store.webhooks.note(ACME, 'w1', { failures: 0 });
    expect(await store.webhooks.list(ACME)).toStrictEqual([full, webhook('w2')]);
  });

  it('one is removed once, and a note that comes later does not bring it back', async () => {
    const store = await open();
    for (const id of ['w1', 'w2']) await store.webhooks.add(ACME, webhook(id));
    const removals = await Promise.all([
      store.webhooks.remove(ACME, 'w1'),
      store.webhooks.remove(ACME, 'w1'),
    ]);
    expect(removals).toEqual([true, false]);
    await store.webhooks.note(ACME, 'w1', { failures: 1 });
    expect(await idsOf(store)).toEqual(['w2']);
    await store.webhooks.add(ACME, webhook('w1'));
    expect(await idsOf(store)).toEqual(['w2', 'w1']);
  });

  it('owners have webhooks of the same id side by side, and each changes only its own', async () => {
    const store = await open();
    const [first, second] = OTHER_OWNERS as [typeof ACME, typeof ACME];
    for (const owner of [ACME, first, second])
      await store.webhooks.add(owner, webhook('w1', { secret: `${owner.tenant}/${owner.workspace}` }));
    await store.webhooks.note(first, 'w1', { failures: 2 });
    expect(await store.webhooks.remove(second, 'w1')).toBe(true);
    expect(await store.webhooks.list(ACME)).toEqual([webhook('w1', { secret: 'acme/main' })]);
    expect(await store.webhooks.list(first)).toEqual([webhook('w1', { secret: 'acme/lab', failures: 2 })]);
    expect(await store.webhooks.list(second)).toEqual([]);
  });
}
