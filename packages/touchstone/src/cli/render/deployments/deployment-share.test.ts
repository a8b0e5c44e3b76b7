import { asId } from '@touchstone/protocol';
import type { Deployment } from '@touchstone/sdk';
import { expect, test } from 'vitest';
import { shareCell, shareWords } from './deployment.js';

const record = (version: string, channels: readonly string[], canaryPercent?: number): Deployment => ({
  agentId: asId('local.acme.support'),
  version: asId(version),
  state: 'active',
  ...(channels.length > 0 && { channels: channels.map((name) => asId(name)) }),
  ...(canaryPercent !== undefined && { canaryPercent }),
});

test.each<[string, readonly Deployment[], readonly string[]]>([
  ['alone', [record('1', ['stable'])], ['100 %']],
  ['alone with a small share', [record('1', ['stable', 'latest'], 10)], ['100 % (set to 10 %)']],
  ['two of them', [record('1', ['stable']), record('2', ['stable', 'latest'], 10)], ['the rest', '10 %']],
  ['on no channel but latest', [record('1', ['stable']), record('2', ['latest'])], ['100 %', '–']],
  ['with a share of nothing', [record('1', ['stable']), record('2', ['latest'], 0)], ['100 %', '0 %']],
  [
    'each with a share, in an order that nobody tells',
    [record('1', ['stable'], 20), record('2', ['stable'], 50)],
    ['set to 20 %', 'set to 50 %'],
  ],
  [
    'alone on one channel and not on the other',
    [record('1', ['stable']), record('2', ['stable', 'canary'], 5)],
    ['the rest', 'stable 5 %, canary 100 % (set to 5 %)'],
  ],
])('the share of versions that serve %s', (_what, all, cells) => {
  expect(all.map((one) => shareCell(one, all))).toEqual(cells);
});

test('a sentence promises a share only where it is one', () => {
  const old = record('1', ['stable']);
  const canary = record('2', ['stable'], 10);
  expect(shareWords(canary, [old, canary])).toBe(' with 10 % of the traffic');
  expect(shareWords(canary, [canary])).toContain('with all of the traffic');
  expect(shareWords(old, [old, canary])).toBe('');
});
