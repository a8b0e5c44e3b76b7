import { expect, test } from 'vitest';
import { noDeployments } from './picture.js';
import { deploymentRecords } from './records.js';
import { AGENT, activated, after, v } from './testing/names.js';

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
