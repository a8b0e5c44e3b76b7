import { expect, it } from 'vitest';
import { createTenantTurns } from './tenant-turns.js';

const run = (tenant: string, name: string) => ({ owner: { tenant, workspace: 'main' }, name });

it('a tenant with many old runs that wait takes turns with a tenant whose runs are younger', () => {
  const turns = createTenantTurns();
  const many = Array.from({ length: 6 }, (_, i) => run('many', `m${i}`));
  const few = [run('few', 'f0'), run('few', 'f1')];
  const taken: string[] = [];
  // As the store lists them: the oldest of each tenant first, and of those the older one.
  const listed = () => [many[0], few[0], many[1], few[1]].filter((one) => one !== undefined);
  for (let next = turns.next(listed()); next; next = turns.next(listed())) {
    taken.push(next.name);
    (next.owner.tenant === 'many' ? many : few).shift();
  }
  expect(taken).toEqual(['m0', 'f0', 'm1', 'f1', 'm2', 'm3', 'm4', 'm5']);
});

it('who comes when others have been served for long is next, and waits for its turn after that', () => {
  const turns = createTenantTurns();
  const names = (tenants: readonly string[]) =>
    turns.next(tenants.map((tenant) => run(tenant, tenant)))?.name;
  for (let i = 0; i < 5; i += 1) expect(names(['a'])).toBe('a');
  expect(['', '', '', ''].map(() => names(['a', 'b']))).toEqual(['b', 'a', 'b', 'a']);
  expect(turns.next([])).toBeUndefined();
});
