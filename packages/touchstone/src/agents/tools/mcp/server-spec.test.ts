import { expect, it } from 'vitest';
import { issuesOf } from '../../fixtures/issues-of.js';
import { parseMcpServers } from './server-spec.js';

it('everything that is wrong with the configured servers is listed', () => {
  const wrong = {
    good: { command: 'a', args: ['', 'b'], env: { A: '' }, safetyTier: 'read', timeoutMs: 5 },
    'with.dot': { url: 'http://a.example/' },
    both: { command: 'a', url: 'http://a.example/' },
    neither: {},
    odd: { url: 'ftp://a', headers: { host: 'b' }, safetyTier: 'exec', more: 1, command2: '' },
    mixed: { command: 'a', args: [1], headers: {} },
    none: null,
  };
  let pointers: unknown;
  try {
    parseMcpServers(wrong);
  } catch (error) {
    pointers = issuesOf(error).map(({ pointer }) => pointer);
  }
  expect(pointers).toEqual([
    '/mcpServers/with.dot',
    '/mcpServers/both',
    '/mcpServers/neither',
    '/mcpServers/odd/url',
    '/mcpServers/odd/headers/host',
    '/mcpServers/odd/safetyTier',
    '/mcpServers/odd/more',
    '/mcpServers/odd/command2',
    '/mcpServers/mixed/args/0',
    '/mcpServers/mixed/headers',
    '/mcpServers/none',
  ]);
  expect(parseMcpServers({ good: wrong.good }).get('good')).toEqual(wrong.good);
});
