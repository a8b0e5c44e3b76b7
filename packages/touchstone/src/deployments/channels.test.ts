import type { AgentDeployments, Version } from '@touchstone/protocol';
import { describe, expect, it, test } from 'vitest';
import { binomialChances } from '../scorecard/statistics/binomial.js';
import { createRandom } from '../scorecard/statistics/random.js';
import { resolveChannel, rivalsOf, shares } from './channels.js';
import { noDeployments } from './picture.js';
import { deploymentRecords } from './records.js';
import { AGENT, activated, after, ask, onto, v } from './testing/names.js';

const DRAWS = 10_000;
/** A right program is called wrong less often than this. */
const FALSE_ALARM = 1e-6;

/** The numbers of hits that a chance gives, but for the rarest ones on either side. */
function boundsOf(chance: number): { readonly low: number; readonly high: number } {
  const chances = binomialChances(DRAWS, chance);
  const skip = (places: readonly number[]): number => {
    let tail = 0;
    return places.find((hits) => {
      tail += chances[hits] as number;
      return tail > FALSE_ALARM / 2;
    }) as number;
  };
  const places = [...chances.keys()];
  return { low: skip(places), high: skip(places.reverse()) };
}

function countDraws(picture: AgentDeployments, seed: string): ReadonlyMap<Version | undefined, number> {
  const random = createRandom(seed);
  const counts = new Map<Version | undefined, number>();
  for (let place = 0; place < DRAWS; place += 1) {
    const version = resolveChannel(picture, 'stable', random())?.version;
    counts.set(version, (counts.get(version) ?? 0) + 1);
  }
  return counts;
}

const canary = (percent: number) =>
  after([...activated('1.0.0', 'stable'), ...activated('2.0.0', 'stable', percent)]);

describe('the draw of a canary', () => {
  it.each([1, 5, 10, 25, 50, 75, 99])(
    'gives a version with %i percent its share of 10 000 runs',
    (percent) => {
      const hits = countDraws(canary(percent), `canary-${percent}`).get(v('2.0.0')) as number;
      const { low, high } = boundsOf(percent / 100);
      expect(hits).toBeGreaterThanOrEqual(low);
      expect(hits).toBeLessThanOrEqual(high);
    },
  );

  it('would be found out if the shares were wrong by a little or changed hands', () => {
    const { low, high } = boundsOf(0.1);
    for (const wrong of [8, 12, 90]) {
      const hits = countDraws(canary(wrong), `wrong-${wrong}`).get(v('2.0.0')) as number;
      expect(hits < low || hits > high).toBe(true);
    }
  });

  it('gives what each one leaves to the one before it, and the rest to the oldest', () => {
    const picture = after([
      ...activated('1.0.0', 'stable', 20),
      ...activated('1.1.0', 'stable', 50),
      ...activated('1.2.0', 'stable', 10),
    ]);
    const expected = [
      { version: '1.2.0', share: 0.1 },
      { version: '1.1.0', share: 0.45 },
      { version: '1.0.0', share: 0.45 },
    ];
    expect(shares(picture, 'stable')).toEqual(expected);
    const counts = countDraws(picture, 'three');
    for (const { version, share } of expected) {
      const { low, high } = boundsOf(share);
      expect(counts.get(v(version))).toBeGreaterThanOrEqual(low);
      expect(counts.get(v(version))).toBeLessThanOrEqual(high);
    }
  });

  it('has no sliver for a version that is due nothing', () => {
    // 0.93 × 100 ÷ 100 is not 0.93 in binary: what that leaves over must not become anybody's share.
    for (let percent = 0; percent < 100; percent += 1) {
      const picture = after([
        ...activated('1.0.0', 'stable'),
        ...activated('1.1.0', 'stable'),
        ...activated('1.2.0', 'stable', percent),
      ]);
      const takers = percent === 0 ? ['1.1.0'] : ['1.2.0', '1.1.0'];
      expect(shares(picture, 'stable').map(({ version }) => version)).toEqual(takers);
      expect(resolveChannel(picture, 'stable', 1 - 2 ** -53)?.version).toBe('1.1.0');
    }
  });
});

describe('a channel', () => {
  it('leads to its only version even at a share of nothing', () => {
    const picture = after(activated('1.0.0', 'stable', 0));
    expect(resolveChannel(picture, 'stable', 0.5)?.version).toBe('1.0.0');
    expect(shares(picture, 'stable')).toEqual([{ version: '1.0.0', share: 1 }]);
  });

  it('leads nowhere while nothing serves on it, and so does a name that every object has', () => {
    const picture = after(activated('1.0.0', 'stable'));
    for (const name of ['canary', 'constructor', '__proto__', 'nightly'])
      expect(resolveChannel(picture, name, 0)).toBeUndefined();
    expect(resolveChannel(noDeployments(AGENT), 'latest', 0)).toBeUndefined();
  });

  it('called latest is the highest active SemVer, and something else only when there is none', () => {
    const versions = ['1.9.0', '1.10.0', '2.0.0-rc.1', '2.0.0-rc.1+b2', '9 lives'];
    const picture = after(versions.flatMap((version) => activated(version)));
    const left = (count: number) =>
      after(
        ['2.0.0-rc.1+b2', '2.0.0-rc.1', '1.10.0', '1.9.0']
          .slice(0, count)
          .map((version) => ({ version: v(version), transition: 'pause' as const })),
        picture,
      );
    const latest = [0, 1, 2, 3, 4].map((count) => resolveChannel(left(count), 'latest', 0.9)?.version);
    expect(latest).toEqual(['2.0.0-rc.1+b2', '2.0.0-rc.1', '1.10.0', '1.9.0', '9 lives']);
  });
});

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

test('records are sorted by SemVer precedence, and what is no SemVer comes after them', () => {
  const known = ['zebra', '1.10.0', '2.0.0', '1.9.0', 'ape', '2.0.0-rc.1', '1.9.0', '2.0.0-rc.1+b1'].map(v);
  const versions = deploymentRecords(noDeployments(AGENT), known).map(({ version }) => version);
  expect(versions).toEqual(['1.9.0', '1.10.0', '2.0.0-rc.1', '2.0.0-rc.1+b1', '2.0.0', 'ape', 'zebra']);
});

test('a version nobody has moved is a draft, and one that is no longer known keeps its record', () => {
  const picture = after(activated('1.0.0', 'canary', 40));
  expect(deploymentRecords(picture, [v('0.9.0')])).toEqual([
    { agentId: AGENT, version: '0.9.0', state: 'draft' },
    {
      agentId: AGENT,
      version: '1.0.0',
      state: 'active',
      canaryPercent: 40,
      channels: ['canary', 'latest'],
    },
  ]);
});
