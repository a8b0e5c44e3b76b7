import { asId, type Digest, type RunId } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import type { Assignment } from '../../ports/index.js';
import { assignmentKey, nextShare, type ShareStep } from './next-share.js';

const [HERE, THERE] = [asId<Digest>('sha256:here'), asId<Digest>('sha256:there')];
const NOW = 100_000;

const assignment = (place: number, change: Partial<Assignment> = {}, tenant = 'acme'): Assignment => ({
  owner: { tenant, workspace: 'main' },
  runId: asId<RunId>(`run-of-${tenant}`),
  runNo: tenant === 'acme' ? 1 : 2,
  epoch: 1,
  place,
  slots: 16,
  token: 0,
  environment: HERE,
  isLost: false,
  since: NOW - 10,
  hasUnits: true,
  hasSealed: false,
  ...change,
});
const held = (place: number, holder: string, change: Partial<Assignment> = {}, tenant = 'acme') =>
  assignment(place, { holder, since: NOW - 5_000, ...change }, tenant);
const many = (count: number, make: (place: number) => Assignment) =>
  Array.from({ length: count }, (_, place) => make(place));

function shareOf(
  own: string,
  assignments: readonly Assignment[],
  others: { readonly [name: string]: Digest } = { a: HERE, b: HERE },
  keys: { readonly active?: readonly Assignment[]; readonly passed?: readonly Assignment[] } = {},
): string | undefined {
  const active = keys.active ?? assignments.filter(({ holder }) => holder === own);
  const step: ShareStep | undefined = nextShare({
    own,
    now: NOW,
    environment: others[own] ?? HERE,
    holders: Object.entries(others).map(([name, environment]) => ({ name, environment })),
    assignments,
    active: new Set(active.map(assignmentKey)),
    passed: new Set((keys.passed ?? []).map(assignmentKey)),
  });
  return step && `${step.kind} ${step.assignment.owner.tenant} ${step.assignment.place}`;
}

describe('taking', () => {
  const free = [assignment(0), assignment(1)];
  it.each<[string, string | undefined, string | undefined]>([
    ['one that is free', shareOf('a', free), 'take acme 0'],
    ['nothing before the others know of this process', shareOf('c', free), undefined],
    ['one whose holder is lost', shareOf('a', [held(0, 'x', { isLost: true })]), 'take acme 0'],
    ['not one that another process holds', shareOf('a', [held(0, 'b')]), undefined],
    ['not one without units', shareOf('a', [assignment(0, { hasUnits: false })]), undefined],
    ['not one whose work drains', shareOf('a', [assignment(0, { stop: 'drain' })]), undefined],
    [
      'not one of a run that is to be cancelled',
      shareOf('a', [assignment(0, { control: { kind: 'cancel', by: 'x' } })]),
      undefined,
    ],
    [
      'not one that could not be opened here',
      shareOf('a', [assignment(0)], undefined, { passed: free }),
      undefined,
    ],
    [
      'one that it holds by the store, and does not execute',
      shareOf('a', [held(0, 'a')], undefined, { active: [] }),
      'take acme 0',
    ],
    ['not before one who holds less', shareOf('a', [held(0, 'a'), assignment(1)]), undefined],
    [
      'before one who holds less, when he does not take it',
      shareOf('a', [held(0, 'a'), assignment(1, { since: NOW - 2_000 })]),
      'take acme 1',
    ],
    [
      'not one of an environment that another process has',
      shareOf('a', [assignment(0, { environment: THERE })], { a: HERE, b: THERE }),
      undefined,
    ],
    [
      'one of an environment that no process has',
      shareOf('a', [assignment(0, { environment: THERE })]),
      'take acme 0',
    ],
    [
      'first of the tenant that has least',
      shareOf('a', [held(0, 'b'), assignment(1), assignment(0, { since: NOW - 1 }, 'globex')]),
      'take globex 0',
    ],
    [
      'no more than it may hold',
      shareOf('a', [...many(16, (place) => held(place, 'a')), assignment(16)]),
      undefined,
    ],
  ])('%s', (_name, step, expected) => {
    expect(step).toBe(expected);
  });
});

describe('letting go', () => {
  const full = (name: string, from = 0) => many(16, (place) => held(from + place, name));
  const globex = [held(0, 'b', {}, 'globex'), assignment(1, {}, 'globex')];
  it('the oldest of the tenant that has most, when all places are taken and another tenant waits', () => {
    const oldest = held(3, 'a', { since: NOW - 9_000 });
    const all = [...full('a').filter(({ place }) => place !== 3), oldest, ...full('b', 16), ...globex];
    expect(shareOf('a', all)).toBe('release acme 3');
    expect(shareOf('b', all)).toBeUndefined();
  });
  it('nothing for a run of the same tenant, or while one was just taken', () => {
    expect(shareOf('a', [...full('a'), ...full('b', 16), assignment(40)])).toBeUndefined();
    const fresh = many(16, (place) => held(place, 'a', { since: NOW - 100 }));
    expect(shareOf('a', [...fresh, ...globex], { a: HERE })).toBeUndefined();
  });
  it('nothing for a tenant that has none: its first one is taken in any case', () => {
    expect(shareOf('a', [...full('a'), ...full('b', 16), assignment(0, {}, 'globex')])).toBe('take globex 0');
  });
  it('one for a process that holds at least two fewer; only the one who holds most does', () => {
    const uneven = [...many(3, (place) => held(place, 'a')), ...many(2, (place) => held(place + 3, 'b'))];
    const three = { a: HERE, b: HERE, c: HERE };
    expect(shareOf('a', uneven, three)).toBe('release acme 0');
    expect(shareOf('b', uneven, three)).toBeUndefined();
    expect(shareOf('c', uneven, three)).toBeUndefined();
  });
  it('none where they are even, or where the other process has another environment', () => {
    const two = [held(0, 'a'), held(1, 'a')];
    expect(shareOf('a', [...two, held(2, 'b')])).toBeUndefined();
    expect(shareOf('a', two, { a: HERE, b: THERE })).toBeUndefined();
    expect(shareOf('a', two)).toBe('release acme 0');
  });
});
