import { type AuditEntry, asId, type Owner } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import { createLimitCounts } from './limit-counts.js';
import { createRefusals } from './refusals.js';
import { createManualClock } from './testing/manual-clock.js';

const OWNER: Owner = { tenant: 'acme', workspace: 'main' };
const who = (id: string) => ({ id, owner: OWNER });

function setUp(atOnce = 3) {
  const clock = createManualClock();
  const written: AuditEntry[] = [];
  const append = async (_: Owner, entry: AuditEntry) => {
    written.push(entry);
    return { ...entry, seq: written.length, previous: '', digest: asId<never>('') };
  };
  const counts = createLimitCounts();
  const log = { error: () => undefined };
  const refusals = createRefusals({ audit: { append }, clock, log, atOnce, counts });
  const take = (times: number, id = 'eve', scope = 'runs:read') =>
    Array.from({ length: times }, () => refusals.take(who(id), scope)).filter(Boolean).length;
  return { clock, written, refusals, take, counts };
}

it('so many refusals of a principal are recorded one by one, then one each minute', async () => {
  const { clock, take, counts } = setUp();
  expect([take(10), take(10, 'bob'), take(1)]).toEqual([3, 3, 0]);
  await clock.advance(120_000);
  expect(take(10)).toBe(2);
  expect(counts.read().get('recordedRefusals')).toBe(7 + 7 + 1 + 8);
});

it('the others are counted by principal and scope, and told in one record of each within ten minutes', async () => {
  const { clock, written, take } = setUp();
  take(10);
  take(4, 'eve', 'deploy:promote');
  take(5, 'bob');
  await clock.advance(10 * 60_000);
  const told = written.map(({ principal, action, resource, allowed, reason }) => [
    principal,
    action,
    resource,
    allowed,
    reason,
  ]);
  const since = 'since 2023-11-14T22:13:20.000Z';
  expect(told).toEqual([
    ['eve', 'runs:read', 'several', false, `7 more refused ${since}`],
    ['eve', 'deploy:promote', 'several', false, `4 more refused ${since}`],
    ['bob', 'runs:read', 'several', false, `2 more refused ${since}`],
  ]);
  await clock.advance(10 * 60_000);
  expect(written).toHaveLength(3);
});

it('what has been counted is written when the host closes', async () => {
  const { written, refusals, take } = setUp();
  take(5);
  await refusals.close();
  expect(written).toMatchObject([{ reason: expect.stringMatching(/^2 more refused/) }]);
});
