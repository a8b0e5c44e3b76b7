import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../agents/fixtures/temporary-folder.js';
import { createManualClock } from '../engine/testing/manual-clock.js';
import { createHostsFile, hostsPath, parseHosts } from './hosts-file.js';

it('names of the hosts file are found in any letters, and all their addresses', () => {
  const entries = parseHosts('# mine\n10.0.0.7  Agent.Lan agent # ours\n\nfd00::7\tagent\nnonsense agent\n');
  expect(entries.get('agent.lan')).toEqual([{ address: '10.0.0.7', family: 4 }]);
  expect(entries.get('agent')).toEqual([
    { address: '10.0.0.7', family: 4 },
    { address: 'fd00::7', family: 6 },
  ]);
});

it('localhost is this machine also without a hosts file, and other names are not known', async () => {
  const hosts = createHostsFile(createManualClock(), join(await temporaryFolder(), 'absent'));
  expect(await hosts.find('LOCALHOST.')).toContainEqual({ address: '127.0.0.1', family: 4 });
  expect(await hosts.find('agent.localhost')).toContainEqual({ address: '::1', family: 6 });
  expect(await hosts.find('localhost.example')).toBeUndefined();
});

it('a hosts file that has changed is read again after a second', async () => {
  const clock = createManualClock();
  const path = join(await temporaryFolder(), 'hosts');
  await writeFile(path, '10.0.0.7 agent\n');
  const hosts = createHostsFile(clock, path);
  expect(await hosts.find('agent')).toEqual([{ address: '10.0.0.7', family: 4 }]);
  await writeFile(path, '10.0.0.8 agent\n');
  await utimes(path, 2_000_000_000, 2_000_000_000);
  await clock.advance(999);
  expect(await hosts.find('agent')).toEqual([{ address: '10.0.0.7', family: 4 }]);
  await clock.advance(1);
  expect(await hosts.find('agent')).toEqual([{ address: '10.0.0.8', family: 4 }]);
});

it('the hosts file is where the system has it', () => {
  expect(hostsPath('linux', {})).toBe('/etc/hosts');
  expect(hostsPath('win32', { SystemRoot: 'C:\\Windows' })).toMatch(/System32.drivers.etc.hosts$/);
});
