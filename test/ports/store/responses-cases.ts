import { asId, type Digest } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { Store } from '../../../packages/touchstone/src/ports/index.js';
import { ACME, body, OTHER_OWNERS, START } from './givens.js';

export const QUESTION: Digest = asId('sha256:question');

export function responsesCases(open: () => Promise<Store>): void {
  it('an answer is remembered by its question, value for value', async () => {
    const store = await open();
    const answers = [null, false, 0, '', 'NUL \u0000, lone \ud800', [], { deep: [{ n: 1.5 }] }];
    for (const [i, answer] of answers.entries())
      await store.responses.put(ACME, asId(`sha256:${i}`), body(answer), START);
    for (const [i, answer] of answers.entries())
      expect(await store.responses.get(ACME, asId(`sha256:${i}`))).toStrictEqual(answer);
    expect(await store.responses.get(ACME, QUESTION)).toBeUndefined();
  });

  it('the first answer stays, also when several come at once', async () => {
    const store = await open();
    await Promise.all(
      ['first', 'second'].map((text) => store.responses.put(ACME, QUESTION, body(text), START)),
    );
    await store.responses.put(ACME, QUESTION, body('third'), START + 1);
    expect(await store.responses.get(ACME, QUESTION)).toBe('first');
  });

  it('every owner has answers of its own to the same question', async () => {
    const store = await open();
    const owners = [ACME, ...OTHER_OWNERS];
    for (const owner of owners)
      await store.responses.put(owner, QUESTION, body([owner.tenant, owner.workspace]), START);
    for (const owner of owners)
      expect(await store.responses.get(owner, QUESTION)).toEqual([owner.tenant, owner.workspace]);
  });
}
