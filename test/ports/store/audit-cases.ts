import { createHash } from 'node:crypto';
import {
  AUDIT_START,
  type AuditEntry,
  type AuditRecord,
  asId,
  auditLine,
  type Owner,
} from '@touchstone/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Audit, Store } from '../../../packages/touchstone/src/ports/index.js';
import { ACME, endingCommit, leasedRun, OTHER_OWNERS, refusalOf, START } from './givens.js';

export const auditEntry = (overrides: Partial<AuditEntry> = {}): AuditEntry => ({
  at: START,
  principal: asId('ann'),
  action: asId('deploy:promote'),
  resource: asId('agents/local.acme.support@1.0.0'),
  allowed: true,
  ...overrides,
});

/** The whole chain in pages of three, after checking every link of it the way an auditor would. */
export async function verifiedChain(audit: Audit, owner: Owner): Promise<readonly AuditRecord[]> {
  const chain: AuditRecord[] = [];
  let previous = AUDIT_START;
  for (;;) {
    const page = await audit.read(owner, chain.length, 3);
    for (const record of page) {
      const line = auditLine(owner, chain.length + 1, previous, record);
      const digest = `sha256:${createHash('sha256').update(line).digest('hex')}`;
      expect(record).toMatchObject({ seq: chain.length + 1, previous, digest });
      chain.push(record);
      previous = digest;
    }
    if (page.length === 0) break;
  }
  expect(await audit.last(owner)).toEqual(chain.at(-1));
  return chain;
}

const OWNERS: readonly Owner[] = [ACME, ...OTHER_OWNERS];

const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\0', '\n', 'é', '𝄞', '\ud800', ',', ']') });
const anyEntry: fc.Arbitrary<AuditEntry> = fc
  .record(
    {
      at: fc.nat(),
      principal: text,
      action: text,
      resource: text,
      allowed: fc.boolean(),
      reason: text,
      runId: text,
    },
    { requiredKeys: ['at', 'principal', 'action', 'resource', 'allowed'] },
  )
  .map((entry) => entry as unknown as AuditEntry);

export function auditCases(open: () => Promise<Store>): void {
  it('checkpoints are kept in order, each once, and can be neither changed nor removed', async () => {
    const store = await open();
    const made = (seq: number, envelope = '{}') => ({
      seq,
      keyId: 'k',
      head: `sha256:${seq}`,
      at: START,
      envelope,
    });
    expect(await store.audit.lastCheckpoint(ACME)).toBeUndefined();
    for (const seq of [4, 2]) await store.audit.keepCheckpoint(ACME, made(seq));
    await store.audit.keepCheckpoint(ACME, made(4, 'another'));
    expect(await store.audit.checkpoints(ACME, 0, 9)).toEqual([made(2), made(4)]);
    expect(await store.audit.checkpoints(ACME, 3, 9)).toEqual([made(4)]);
    expect(await store.audit.checkpoints(ACME, 0, 1)).toEqual([made(2)]);
    expect(await store.audit.lastCheckpoint(ACME)).toEqual(made(4));
  });

  it('records read back as they were appended, each with its place in the chain', async () => {
    const { audit } = await open();
    expect(await audit.last(ACME)).toBeUndefined();
    expect(await audit.read(ACME, 0, 9)).toEqual([]);
    const given = [
      auditEntry(),
      auditEntry({ allowed: false, reason: 'not allowed to', runId: asId('r1'), at: START - 5 }),
      auditEntry({ reason: '' }),
    ];
    const appended: AuditRecord[] = [];
    for (const entry of given) appended.push(await audit.append(ACME, entry));
    expect(appended).toMatchObject(given);
    expect(appended[0]).not.toHaveProperty('reason');
    expect(await verifiedChain(audit, ACME)).toStrictEqual(appended);
    expect(await audit.read(ACME, 1, 1)).toStrictEqual(appended.slice(1, 2));
  });

  it('any interleaving of appends of three owners gives three chains without gaps', async () => {
    const store = await open();
    const counts = new Map<Owner, number>();
    const batches = fc.array(fc.tuple(fc.constantFrom(...OWNERS), anyEntry), { maxLength: 12 });
    const property = fc.asyncProperty(batches, fc.boolean(), async (batch, atOnce) => {
      const appends = batch.map(
        ([owner, entry]) =>
          () =>
            store.audit.append(owner, entry),
      );
      if (atOnce) await Promise.all(appends.map((append) => append()));
      else for (const append of appends) await append();
      for (const [owner] of batch) counts.set(owner, (counts.get(owner) ?? 0) + 1);
      for (const owner of OWNERS)
        expect(await verifiedChain(store.audit, owner)).toHaveLength(counts.get(owner) ?? 0);
    });
    await fc.assert(property, { numRuns: 25 });
    expect(counts.size).toBe(OWNERS.length);
  });

  it('characters that no column keeps are replaced before they are recorded, and never refused', async () => {
    const { audit } = await open();
    const record = await audit.append(ACME, auditEntry({ reason: 'a\0b\ud800c𝄞' }));
    expect(record.reason).toBe('a\uFFFDb\uFFFDc𝄞');
    expect(await verifiedChain(audit, ACME)).toStrictEqual([record]);
  });

  it('a commit brings its records with it, in order, or none of them', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const audit = [auditEntry({ runId: run.runId }), auditEntry({ runId: run.runId, allowed: false })];
    await store.log.commit(lease, { ...endingCommit(0), audit });
    await refusalOf(store.log.commit(lease, { ...endingCommit(0), audit }));
    expect(await verifiedChain(store.audit, ACME)).toMatchObject(audit);
  });

  it('records are listed from either end, and those of one run or one agent', async () => {
    const { audit } = await open();
    const about = ['agents/a@1.0.0', 'agents/ab@1.0.0', 'agents/a', 'runs/r1/interrupts/approval', 'several'];
    for (const [at, resource] of about.entries())
      await audit.append(
        ACME,
        auditEntry({ resource: asId(resource), ...(at === 3 && { runId: asId('r1') }) }),
      );
    const list = async (query: Partial<Parameters<Audit['list']>[1]>) =>
      (await audit.list(ACME, { order: 'asc', limit: 9, ...query })).map(({ seq }) => seq);
    expect(await list({})).toEqual([1, 2, 3, 4, 5]);
    expect(await list({ order: 'desc', limit: 2 })).toEqual([5, 4]);
    expect(await list({ order: 'desc', cursor: 4 })).toEqual([3, 2, 1]);
    expect(await list({ cursor: 3 })).toEqual([4, 5]);
    expect(await list({ runId: 'r1' })).toEqual([4]);
    expect(await list({ agentId: 'a' })).toEqual([1, 3]);
    expect(await list({ agentId: '%' })).toEqual([]);
  });

  it('everyone who has a chain is listed once', async () => {
    const { audit } = await open();
    expect(await audit.owners()).toEqual([]);
    for (const owner of [...OWNERS, ...OWNERS]) await audit.append(owner, auditEntry());
    expect(await audit.owners()).toHaveLength(OWNERS.length);
    expect(await audit.owners()).toEqual(expect.arrayContaining([...OWNERS]));
  });
}
