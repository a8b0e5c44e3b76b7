import { expect, it } from 'vitest';
import { rivalsOf } from './rivals.js';
import { activated, after, ask, onto, v } from './testing/names.js';

const rivalsIn = (
  before: ReturnType<typeof after>,
  request: Parameters<typeof ask>[1],
): readonly string[] => {
  const decision = ask(before, request);
  if (decision.kind === 'illegal') throw new Error(decision.issue.message);
  return rivalsOf(before, decision.move.next, request.version).map(({ version }) => version);
};
const promoted = (version: string, channel?: string) => ({
  version: v(version),
  transition: 'promote' as const,
  ...(channel !== undefined && { channel: onto(channel) }),
});
const staged = (version: string) => activated(version).slice(0, 2);

it('whoever has most of the channel has to be matched, and of latest too when that changes hands', () => {
  const serving = after([
    ...activated('1.0.0', 'stable'),
    ...activated('1.1.0', 'stable', 10),
    ...staged('0.9.0'),
    ...staged('2.0.0'),
  ]);
  expect(rivalsIn(serving, promoted('2.0.0', 'stable'))).toEqual(['1.0.0', '1.1.0']);
  expect(rivalsIn(serving, promoted('0.9.0', 'stable'))).toEqual(['1.0.0']);
  expect(rivalsIn(serving, promoted('2.0.0', 'canary'))).toEqual(['1.1.0']);
  expect(rivalsIn(serving, promoted('0.9.0', 'canary'))).toEqual([]);
});

it('a pause is no way around: neither of the rival nor of the version itself', () => {
  const pause = (version: string) => ({ version: v(version), transition: 'pause' as const });
  const rested = after([...activated('1.0.0', 'stable'), pause('1.0.0'), ...staged('1.1.0')]);
  expect(rivalsIn(rested, promoted('1.1.0', 'stable'))).toEqual(['1.0.0']);
  const back = after([...activated('1.1.0', 'stable'), ...activated('1.2.0', 'stable'), pause('1.2.0')]);
  expect(rivalsIn(back, promoted('1.2.0'))).toEqual(['1.1.0']);
});

it('where nothing has served there is nothing to match', () => {
  expect(rivalsIn(after(staged('1.0.0')), promoted('1.0.0', 'stable'))).toEqual([]);
});
