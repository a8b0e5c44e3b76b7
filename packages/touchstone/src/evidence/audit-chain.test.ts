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
import { describe, expect, it } from 'vitest';
import { createChainCheck } from './audit-chain.js';

const OWNER: Owner = { tenant: 'acme', workspace: 'main' };
const SCOPES = ['deploy:promote', 'deploy:rollback', 'approvals:respond'];

const entries = fc
  .record(
    {
      at: fc.nat(),
      principal: fc.string(),
      action: fc.constantFrom(...SCOPES),
      resource: fc.string(),
      allowed: fc.boolean(),
      reason: fc.string({ unit: 'binary' }),
      runId: fc.string(),
    },
    { requiredKeys: ['at', 'principal', 'action', 'resource', 'allowed'] },
  )
  .map((entry) => entry as unknown as AuditEntry);

function chainOf(owner: Owner, list: readonly AuditEntry[]): readonly AuditRecord[] {
  let previous = AUDIT_START;
  return list.map((entry, place) => {
    const seq = place + 1;
    const line = auditLine(owner, seq, previous, entry);
    const record = {
      ...entry,
      seq,
      previous,
      digest: `sha256:${createHash('sha256').update(line).digest('hex')}`,
    };
    previous = record.digest;
    return record;
  });
}

function follow(records: readonly AuditRecord[], owner = OWNER) {
  const chain = createChainCheck(owner);
  for (const record of records) chain.add(record);
  return chain.result();
}

describe('an audit chain', () => {
  it('begins at the start and has nothing to say about nothing', () => {
    expect(follow([])).toEqual({ records: 0, head: AUDIT_START, anomalies: [] });
  });

  it('holds as it was written', () => {
    fc.assert(
      fc.property(fc.array(entries, { minLength: 1, maxLength: 12 }), (list) => {
        const records = chainOf(OWNER, list);
        expect(follow(records)).toEqual({
          records: list.length,
          head: records.at(-1)?.digest,
          anomalies: [],
        });
      }),
    );
  });

  it('is broken at the first record in which any member was changed, added or taken out', () => {
    const members = [
      'at',
      'principal',
      'action',
      'resource',
      'allowed',
      'reason',
      'runId',
      'digest',
    ] as const;
    const changed = fc.property(
      fc.array(entries, { minLength: 1, maxLength: 8 }),
      fc.nat(),
      fc.constantFrom(...members),
      (list, at, member) => {
        const records = chainOf(OWNER, list);
        const place = at % records.length;
        const touched = records.map((record, each) => (each === place ? alter(record, member) : record));
        const { anomalies, ...result } = follow(touched);
        expect(anomalies[0]).toMatchObject({ atSeq: place + 1 });
        expect(result).toEqual({
          records: place,
          head: records[place - 1]?.digest ?? AUDIT_START,
          trouble: { seq: place + 1, why: 'digest' },
        });
      },
    );
    fc.assert(changed);
  });

  const three = chainOf(
    OWNER,
    [1, 2, 3].map((at) => ({
      at,
      principal: asId('ci'),
      action: asId('deploy:promote'),
      resource: asId('agents/a@1.0.0'),
      allowed: true,
    })),
  ) as readonly [AuditRecord, AuditRecord, AuditRecord];
  const [first, second, third] = three;

  it('is broken by a record that is missing, doubled or out of its place', () => {
    expect(follow([first, third]).trouble).toEqual({ seq: 3, why: 'gap' });
    expect(follow([second, third]).trouble).toEqual({ seq: 2, why: 'gap' });
    expect(follow([first, first]).trouble).toEqual({ seq: 1, why: 'gap' });
    expect(follow([first, third, second]).trouble).toEqual({ seq: 3, why: 'gap' });
    expect(follow([first, { ...third, seq: 2 }]).trouble).toEqual({ seq: 2, why: 'previous' });
  });

  it('has a break wherever it has trouble, and none where there is no trouble', () => {
    const kept = fc.property(
      fc.array(entries, { minLength: 2, maxLength: 8 }),
      fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      (list, keeps) => {
        const { trouble, anomalies } = follow(chainOf(OWNER, list).filter((_, place) => keeps[place]));
        expect(anomalies[0]?.atSeq).toBe(trouble?.seq);
      },
    );
    fc.assert(kept);
  });

  it('cannot be another owner’s', () => {
    expect(follow(three, { ...OWNER, workspace: 'side' }).trouble).toEqual({ seq: 1, why: 'digest' });
  });

  it('written anew from one record on holds, and shows by its head that it is another one', () => {
    const forged = chainOf(OWNER, [first, { ...second, allowed: false }, third]);
    expect(follow(forged).trouble).toBeUndefined();
    expect(follow(forged).head).not.toBe(follow(three).head);
  });
});

function alter(record: AuditRecord, member: keyof AuditRecord): AuditRecord {
  const value = record[member];
  if (typeof value === 'boolean') return { ...record, [member]: !value };
  if (typeof value === 'number') return { ...record, [member]: value + 1 };
  return { ...record, [member]: value === undefined ? 'added' : `${value}x` };
}
