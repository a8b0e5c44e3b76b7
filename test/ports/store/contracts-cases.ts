import { asId, type Digest } from '@touchstone/protocol';
import type { EvalContract, PinnedContract } from '@touchstone/protocol/bodies';
import { expect, it } from 'vitest';
import type { Store } from '../../../packages/touchstone/src/ports/index.js';
import { ACME, OTHER_OWNERS, START } from './givens.js';
import { suite } from './suites-cases.js';

const SUITE = asId<Digest>('sha256:suite');
const PLAIN = suite('core.plain', '1.0.0', 'sha256:plain');

/** What an author wrote may hold every character. */
export const pinned = (name: string, description = 'Plain.'): PinnedContract => ({
  digest: asId<Digest>(`sha256:${name}`),
  contract: {
    contractVersion: 1,
    suiteId: asId('local.acme.evals.one'),
    suiteVersion: asId('1.0.0'),
    suiteSha256: 'ab'.repeat(32),
    agent: { id: 'a', name: 'A', version: '1.0.0', sha256: 'cd'.repeat(32) },
    criteria: [
      {
        id: name,
        name,
        description,
        strict: true,
        evaluator: 'judge',
        class: 'binary',
        direction: 'max',
        rate: 1,
      },
    ],
    tasks: { one: { criteria: [name], reference: { deep: [1, null, 'x'] } } },
  } satisfies EvalContract,
});

export function contractsCases(open: () => Promise<Store>): void {
  it('a contract is read back as it was written, whatever its author wrote', async () => {
    const { suites } = await open();
    const odd = pinned('odd', 'a\u0000b \ud800 \u2028 "quoted" 😀');
    await suites.attach(ACME, SUITE, odd, START);
    expect(await suites.contractOf(ACME, SUITE)).toEqual(odd);
    expect(await suites.contract(ACME, odd.digest)).toEqual(odd);
  });

  it('the last one attached is the one of the suite; earlier ones stay readable', async () => {
    const { suites } = await open();
    const [first, second] = [pinned('first'), pinned('second')];
    await suites.attach(ACME, SUITE, first, START);
    await suites.attach(ACME, SUITE, second, START + 1);
    expect(await suites.contractOf(ACME, SUITE)).toEqual(second);
    expect(await suites.contract(ACME, first.digest)).toEqual(first);
    await suites.attach(ACME, SUITE, first, START + 2);
    expect(await suites.contractOf(ACME, SUITE)).toEqual(first);
  });

  it('one that is detached is the suite’s no more, and stays readable', async () => {
    const { suites } = await open();
    const own = pinned('own');
    await suites.attach(ACME, SUITE, own, START);
    for (const other of OTHER_OWNERS) await suites.detach(other, SUITE);
    expect(await suites.contractOf(ACME, SUITE)).toEqual(own);
    await suites.detach(ACME, SUITE);
    expect(await suites.contractOf(ACME, SUITE)).toBeUndefined();
    expect(await suites.contract(ACME, own.digest)).toEqual(own);
  });

  it('suite and contract are put once, together or not at all', async () => {
    const { suites } = await open();
    const { digest } = PLAIN.head;
    const both = [pinned('first'), pinned('second')];
    const wins = await Promise.all(both.map((one) => suites.putOnce(ACME, PLAIN, one, START)));
    expect([...wins].sort()).toEqual([false, true]);
    const [won, lost] = (wins[0] ? both : both.reverse()) as [PinnedContract, PinnedContract];
    expect(await suites.contractOf(ACME, digest)).toEqual(won);
    expect(await suites.contract(ACME, lost.digest)).toBeUndefined();
    expect(await suites.putOnce(ACME, PLAIN, won, START)).toBe(true);
    const changed = { ...PLAIN, head: { ...PLAIN.head, digest: asId<Digest>('sha256:changed') } };
    expect(await suites.putOnce(ACME, changed, lost, START)).toBe(false);
    expect(await suites.byDigest(ACME, changed.head.digest)).toBeUndefined();
    expect((await suites.get(ACME, PLAIN.head.suiteId, PLAIN.head.version))?.digest).toBe(digest);
  });

  it('a suite without one has none, and nobody sees another owner’s', async () => {
    const { suites } = await open();
    expect(await suites.contractOf(ACME, SUITE)).toBeUndefined();
    const own = pinned('own');
    await suites.attach(ACME, SUITE, own, START);
    for (const other of OTHER_OWNERS) {
      expect(await suites.contractOf(other, SUITE)).toBeUndefined();
      expect(await suites.contract(other, own.digest)).toBeUndefined();
    }
  });
}
