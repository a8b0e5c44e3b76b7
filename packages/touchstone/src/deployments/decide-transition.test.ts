import {
  asId,
  type DeploymentEvent,
  type Digest,
  type GateId,
  type RunId,
  type TransitionRequest,
} from '@touchstone/protocol';
import { checkPayload } from '@touchstone/protocol/wire';
import { describe, expect, it } from 'vitest';
import { shares } from './channels.js';
import { noDeployments, rowOf } from './picture.js';
import { scopeOf, targetState } from './states.js';
import { AGENT, activated, after, ask, onto, recordOf, v } from './testing/names.js';

const promote = (version: string, extra: Partial<TransitionRequest> = {}): TransitionRequest => ({
  version: v(version),
  transition: 'promote',
  ...extra,
});
const move = (...asked: Parameters<typeof ask>) => {
  const decision = ask(...asked);
  if (decision.kind === 'illegal') throw new Error(decision.issue.message);
  return decision.move;
};
const issue = (...asked: Parameters<typeof ask>) => {
  const decision = ask(...asked);
  if (decision.kind === 'move') throw new Error('it was possible');
  return decision.issue;
};
const typesOf = (events: readonly DeploymentEvent[]): string[] => events.map(({ type }) => type);

describe('a promotion', () => {
  const evalRunId = asId<RunId>('run-1');
  const approvalGateId = asId<GateId>('gate-1');

  it('is recorded with what it rests on, and the next one does not inherit that', () => {
    const digest = asId<Digest>('sha256:b');
    const proven = move(noDeployments(AGENT), promote('1.0.0', { evalRunId }), { digest, approvalGateId });
    expect(rowOf(proven.next, v('1.0.0'))).toEqual({
      version: '1.0.0',
      state: 'test',
      digest,
      evalRunId,
      approvalGateId,
    });
    expect(proven.events).toEqual([
      {
        type: 'deployment.promoted',
        payload: { agentId: AGENT, toVersion: '1.0.0', toState: 'test', evalRunId, approvalGateId },
      },
    ]);
    const next = move(proven.next, promote('1.0.0'));
    expect(recordOf(next.next, '1.0.0')).toEqual({ agentId: AGENT, version: '1.0.0', state: 'staged' });
  });

  it('names the version that served most of the channel before', () => {
    const picture = after([
      ...activated('1.0.0', 'stable'),
      ...activated('1.1.0', 'stable', 10),
      ...activated('1.2.0').slice(0, 2),
    ]);
    const { events, next } = move(picture, promote('1.2.0', { channel: onto('stable'), canaryPercent: 100 }));
    expect(events[0]?.payload).toEqual({
      agentId: AGENT,
      toVersion: '1.2.0',
      toState: 'active',
      fromVersion: '1.0.0',
      channel: 'stable',
    });
    expect(recordOf(next, '1.0.0')).toMatchObject({ state: 'active' });
    expect(recordOf(next, '1.0.0').channels).toBeUndefined();
    expect(recordOf(next, '1.2.0').channels).toEqual(['stable', 'latest']);
  });

  it('of a paused version brings it back as it was; naming a channel or a share is told as well', () => {
    const paused = after([...activated('1.0.0', 'stable', 30), { version: v('1.0.0'), transition: 'pause' }]);
    expect(recordOf(paused, '1.0.0').canaryPercent).toBeUndefined();
    const back = move(paused, promote('1.0.0'));
    expect(typesOf(back.events)).toEqual(['deployment.state.changed']);
    expect(recordOf(back.next, '1.0.0')).toMatchObject({
      canaryPercent: 30,
      channels: ['stable', 'latest'],
    });
    const moved = move(paused, promote('1.0.0', { channel: onto('canary') }));
    expect(typesOf(moved.events)).toEqual(['deployment.state.changed', 'deployment.promoted']);
    expect(moved.events[1]?.payload).toMatchObject({ channel: 'canary', canaryPercent: 30 });
  });

  it('of an active version puts it on a further channel, with its proof, and nowhere twice', () => {
    const active = after([...activated('1.0.0', 'stable'), ...activated('1.1.0', 'canary', 10)]);
    const spread = move(active, promote('1.1.0', { channel: onto('stable') }));
    expect(spread.events.map(({ payload }) => payload)).toEqual([
      { agentId: AGENT, toVersion: '1.1.0', toState: 'active', fromVersion: '1.0.0', channel: 'stable' },
    ]);
    expect(recordOf(spread.next, '1.1.0').channels).toEqual(['stable', 'canary', 'latest']);
    expect(issue(spread.next, promote('1.1.0', { channel: onto('stable') })).pointer).toBe('/transition');
    expect(issue(active, promote('1.1.0')).pointer).toBe('/transition');
    const changed = { digest: asId<Digest>('sha256:other') };
    expect(issue(active, promote('1.1.0', { channel: onto('stable') }), changed).pointer).toBe('/version');
  });

  it('does not bring back other bytes than those that were paused', () => {
    const paused = after([...activated('1.0.0'), { version: v('1.0.0'), transition: 'pause' }]);
    expect(issue(paused, promote('1.0.0'), { digest: asId<Digest>('sha256:other') })).toMatchObject({
      pointer: '/version',
      message: expect.stringContaining('version of its own'),
    });
  });
});

describe('a rollback', () => {
  const rollback = (version: string, channel?: string): TransitionRequest => ({
    version: v(version),
    transition: 'rollback',
    ...(channel !== undefined && { channel: onto(channel) }),
  });

  it('wakes the paused version before it, which gets everything', () => {
    const picture = after([
      ...activated('1.0.0', 'stable'),
      ...activated('1.1.0', 'stable', 5),
      ...activated('1.2.0', 'stable', 50),
      { version: v('1.1.0'), transition: 'pause' },
    ]);
    const { next, events } = move(picture, rollback('1.2.0'));
    expect(typesOf(events)).toEqual(['deployment.rolled-back', 'deployment.state.changed']);
    expect(shares(next, 'stable')).toEqual([{ version: '1.1.0', share: 1 }]);
    expect(recordOf(next, '1.2.0')).toEqual({
      agentId: AGENT,
      version: '1.2.0',
      state: 'rolled-back',
      rollbackPointer: '1.1.0',
    });
  });

  it('leaves no channel empty that the version headed', () => {
    const both = after([
      ...activated('1.0.0', 'stable'),
      ...activated('1.1.0', 'stable'),
      { version: v('1.1.0'), transition: 'pause' },
      promote('1.1.0', { channel: onto('canary') }),
    ]);
    const { next } = move(both, rollback('1.1.0'));
    expect(recordOf(next, '1.0.0').channels).toEqual(['stable', 'canary', 'latest']);
    expect(issue(both, rollback('1.1.0', 'canary')).pointer).toBe('/channel');
  });

  it('of a version on no channel is to the next lower one that serves', () => {
    const three = after([...activated('1.2.0'), ...activated('1.0.0'), ...activated('1.1.0')]);
    const { next, events } = move(three, rollback('1.2.0'));
    expect(events[0]?.payload).toMatchObject({ fromVersion: '1.2.0', toVersion: '1.1.0' });
    expect(recordOf(next, '1.2.0')).toMatchObject({ state: 'rolled-back', rollbackPointer: '1.1.0' });
    expect(recordOf(next, '1.1.0').channels).toEqual(['latest']);
  });

  it('of a version on no channel leaves the shares of channels as they are', () => {
    const picture = after([
      ...activated('1.0.0', 'stable'),
      ...activated('1.1.0', 'stable', 20),
      ...activated('2.0.0'),
    ]);
    const { next } = move(picture, rollback('2.0.0'));
    expect(shares(next, 'stable')).toEqual(shares(picture, 'stable'));
    expect(recordOf(next, '1.1.0').channels).toEqual(['stable', 'latest']);
  });

  it('of a version on no channel wakes the next lower one, with the share it had', () => {
    const picture = after([
      ...activated('1.0.0', 'stable'),
      ...activated('1.1.0', 'stable', 20),
      ...activated('2.0.0'),
      { version: v('1.1.0'), transition: 'pause' },
    ]);
    const { next, events } = move(picture, rollback('2.0.0'));
    expect(typesOf(events)).toEqual(['deployment.rolled-back', 'deployment.state.changed']);
    expect(shares(next, 'stable')[0]).toEqual({ version: '1.1.0', share: 0.2 });
  });

  it('needs somebody before', () => {
    expect(issue(after(activated('1.0.0')), rollback('1.0.0')).message).toContain('nothing to roll back to');
    const alone = after(activated('1.0.0', 'stable'));
    expect(issue(alone, rollback('1.0.0')).message).toContain('nothing to roll back to');
    expect(issue(alone, rollback('1.0.0', 'canary')).message).toContain('stable');
  });
});

describe('a refusal', () => {
  const active = after(activated('1.0.0', 'stable'));
  const cases: readonly (readonly [string, string, TransitionRequest])[] = [
    ['/transition', 'is active', promote('1.0.0')],
    ['/transition', 'is draft', { version: v('2.0.0'), transition: 'pause' }],
    ['/toState', 'Expected test', promote('2.0.0', { toState: 'active' })],
    ['/toState', 'Expected paused', { version: v('1.0.0'), transition: 'pause', toState: 'active' }],
    ['/channel', 'Leave it out', promote('2.0.0', { channel: onto('stable') })],
    ['/canaryPercent', 'Leave it out', promote('2.0.0', { canaryPercent: 10 })],
    ['/canaryPercent', 'Add it', { version: v('1.0.0'), transition: 'adjust-canary' }],
  ];
  it.each(cases)('points to %s and says "%s"', (pointer, words, request) => {
    expect(issue(active, request)).toEqual({ pointer, message: expect.stringContaining(words) });
  });

  it('of latest says what latest is', () => {
    const staged = after(activated('1.0.0').slice(0, 2));
    expect(issue(staged, promote('1.0.0', { channel: onto('latest') }))).toEqual({
      pointer: '/channel',
      message: expect.stringContaining('highest active version'),
    });
  });
});

describe('every transition', () => {
  it.each([
    ['promote', 'draft', 'deploy:promote', 'test'],
    ['promote', 'staged', 'deploy:promote', 'active'],
    ['promote', 'paused', 'deploy:pause', 'active'],
    ['promote', 'active', 'deploy:promote', 'active'],
    ['pause', 'active', 'deploy:pause', 'paused'],
    ['deprecate', 'active', 'deploy:pause', 'deprecated'],
    ['rollback', 'active', 'deploy:rollback', undefined],
    ['adjust-canary', 'active', 'deploy:promote', undefined],
  ] as const)('%s from %s needs %s and asks the gates of %s', (transition, state, scope, target) => {
    const request = { version: v('1.0.0'), transition };
    expect(scopeOf(request, state)).toBe(scope);
    expect(targetState(request, state)).toBe(target);
  });

  it('that puts a paused version elsewhere needs the right to promote', () => {
    expect(scopeOf(promote('1.0.0', { channel: onto('stable') }), 'paused')).toBe('deploy:promote');
    expect(scopeOf(promote('1.0.0', { canaryPercent: 100 }), 'paused')).toBe('deploy:promote');
  });

  it('has events that the wire accepts', () => {
    const reason = asId<NonNullable<TransitionRequest['reason']>>('slow');
    const requests: readonly TransitionRequest[] = [
      ...activated('1.0.0', 'stable'),
      ...activated('1.1.0', 'stable', 10),
      { version: v('1.1.0'), transition: 'adjust-canary', canaryPercent: 100 },
      { version: v('1.0.0'), transition: 'pause' },
      { version: v('1.1.0'), transition: 'rollback', reason },
      { version: v('1.0.0'), transition: 'deprecate' },
    ];
    requests.reduce((current, request) => {
      const { next, events } = move(current, request);
      for (const { type, payload } of events) expect(checkPayload(type, payload)).toEqual([]);
      return next;
    }, noDeployments(AGENT));
  });
});
