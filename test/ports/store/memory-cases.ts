import { type AgentId, asId } from '@touchstone/protocol';
import type { MemoryEntry } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Store } from '../../../packages/touchstone/src/ports/index.js';
import { ACME, OTHER_OWNERS, refusalOf, START } from './givens.js';

const AGENT: AgentId = asId('local.acme.support');

export const entry = (id: string, overrides: Partial<MemoryEntry> = {}): MemoryEntry => ({
  id,
  content: `About ${id}`,
  tags: ['note'],
  createdAt: new Date(START).toISOString(),
  ...overrides,
});

const isoAt = (ms: number): string => new Date(ms).toISOString();

export function memoryCases(open: () => Promise<Store>): void {
  it('an entry is read back as it was written, whatever characters it holds', async () => {
    const store = await open();
    const odd = entry('e1', {
      content: 'NUL \u0000, lone \ud800, "quoted" \\ ü',
      tags: ['', 'a\u0000b', '"'],
      expiresAt: '2099-01-01T00:00:00+02:00',
    });
    await store.memory.put(ACME, AGENT, odd, START);
    await store.memory.put(ACME, AGENT, entry('e2', { content: '', tags: [] }), START);
    expect(await store.memory.snapshot(ACME, AGENT, START, START)).toStrictEqual([
      odd,
      entry('e2', { content: '', tags: [] }),
    ]);
  });

  it('the same id again leaves the first entry, also when both come at once', async () => {
    const store = await open();
    const put = (content: string, writtenAt: number, expiry: Partial<MemoryEntry> = {}) =>
      store.memory.put(ACME, AGENT, entry('e1', { content, ...expiry }), writtenAt);
    await Promise.all([put('first', START), put('second', START - 1, { expiresAt: isoAt(START) })]);
    await put('third', START + 1);
    expect(await store.memory.snapshot(ACME, AGENT, START - 1, START)).toEqual([]);
    expect(await store.memory.snapshot(ACME, AGENT, START + 9, START)).toStrictEqual([
      entry('e1', { content: 'first' }),
    ]);
  });

  it('an entry ends with the millisecond of its expiry, in whichever time zone that is written', async () => {
    const store = await open();
    const noon = Date.parse('2026-03-01T12:00:00.000Z');
    const zones = ['2026-03-01T12:00:00Z', '2026-03-01T14:00:00.000+02:00', '2026-03-01T07:00:00.000-05:00'];
    for (const [i, expiresAt] of zones.entries())
      await store.memory.put(ACME, AGENT, entry(`e${i}`, { expiresAt }), START);
    expect(await store.memory.snapshot(ACME, AGENT, START, noon - 1)).toHaveLength(3);
    expect(await store.memory.snapshot(ACME, AGENT, START, noon)).toEqual([]);
  });

  it('an expiry that is no time is refused, and does not become an entry without one', async () => {
    const store = await open();
    const refusal = await refusalOf(
      store.memory.put(ACME, AGENT, entry('e1', { expiresAt: 'soon, said Ann' }), START),
    );
    expect(refusal).toMatchObject({ code: 'validation_error', details: { field: 'expiresAt' } });
    expect(JSON.stringify(refusal) + refusal.message).not.toContain('Ann');
    expect(await store.memory.snapshot(ACME, AGENT, START, START)).toEqual([]);
  });

  it('owners and agents remember apart, also under the same ids', async () => {
    const store = await open();
    const other: AgentId = asId('local.acme.sales');
    const places = [ACME, ...OTHER_OWNERS].flatMap((owner) =>
      [AGENT, other].map((agentId) => ({ owner, agentId })),
    );
    const content = (i: number) => entry('e1', { content: `place ${i}` });
    for (const [i, { owner, agentId }] of places.entries())
      await store.memory.put(owner, agentId, content(i), START);
    for (const [i, { owner, agentId }] of places.entries())
      expect(await store.memory.snapshot(owner, agentId, START, START)).toStrictEqual([content(i)]);
  });

  const offset = fc.integer({ min: -3, max: 3 });
  const written = fc.uniqueArray(
    fc.record({ id: fc.constantFrom('a', 'B', 'ä', '10', '9', 'z'), at: offset, ttl: fc.option(offset) }),
    { selector: ({ id }) => id },
  );
  it('a snapshot holds what was written by then and is not expired, oldest first', async () => {
    const store = await open();
    let agents = 0;
    const property = fc.asyncProperty(written, offset, offset, async (entries, asOf, now) => {
      agents += 1;
      const agentId: AgentId = asId(`model-${agents}`);
      for (const { id, at, ttl } of entries) {
        const expiry = ttl === null ? {} : { expiresAt: isoAt(START + ttl) };
        await store.memory.put(ACME, agentId, entry(id, expiry), START + at);
      }
      const expected = entries
        .filter(({ at, ttl }) => at <= asOf && (ttl === null || ttl > now))
        .sort((a, b) => a.at - b.at || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)));
      const found = await store.memory.snapshot(ACME, agentId, START + asOf, START + now);
      expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    });
    await fc.assert(property, { numRuns: 100 });
  });
}
