import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostError, Issue } from '@touchstone/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig, parseConfig } from './config.js';
import { checkParts, soundParts } from './config-parts.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-parts-'));
});
afterEach(() => rm(folder, { recursive: true }));

const BROKEN = `providers:
  local: { kind: telepathy }
modelClasses:
  general: small-1
models:
  big: large-1
agents:
  - { agentId: local.acme.a, version: 1.0.0, run: { kind: module, path: a.mjs } }
  - { agentId: local.acme.b, version: one, run: { kind: module, path: b.mjs } }
tools:
  - { toolId: "local:kb.search", kind: fax }
mcpServers:
  files: {}
trust:
  keys: [{ keyId: a, file: gone.pem }]
judge: { model: local/judge }
packs: [packs]
`;

const placesOf = (issues: readonly Issue[]) => issues.map(({ pointer, line }) => [pointer, line]);

it('everything that any room would refuse is found at once, with its line', async () => {
  await writeFile(join(folder, 'touchstone.config.yaml'), BROKEN);
  const config = await loadConfig(undefined, folder);
  expect(placesOf(config.troubles)).toEqual([
    ['/providers/local/kind', 2],
    ['/modelClasses/general', 4],
    ['/models/big', 6],
    ['/agents/1/version', 9],
    ['/tools/0/url', 11],
    ['/tools/0/kind', 11],
    ['/mcpServers/files', 13],
    ['/trust/keys/0/file', 15],
  ]);
  expect(() => checkParts(config)).toThrow(
    expect.objectContaining({
      code: 'validation_error',
      details: expect.objectContaining({ file: config.file, issues: config.troubles }),
    }),
  );
});

it('what is wrong with the shape of one member does not hide what is wrong with another', async () => {
  await writeFile(
    join(folder, 'touchstone.config.yaml'),
    `${BROKEN}limits: { maxBody: 1 }\nkeys: [{ tenant: a, roles: [king] }]\n`,
  );
  const error = (await loadConfig(undefined, folder).catch((thrown) => thrown)) as HostError;
  const { issues = [] } = error.details as { issues?: readonly Issue[] };
  const pointers = issues.map(({ pointer }) => pointer);
  expect(pointers).toHaveLength(11);
  expect(pointers.slice(-3)).toEqual(['/limits/maxBody', '/keys/0', '/keys/0/roles/0']);
});

it('a part whose shape is wrong is told of once', () => {
  const both = {
    providers: { a: 7 },
    agents: [{ agentId: 'x' }],
    roles: { boss: 1 },
    keys: [{ tenant: 'a', roles: ['boss'] }],
  };
  expect(() => parseConfig(both, folder)).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({
        issues: [
          expect.objectContaining({ pointer: '/roles/boss' }),
          expect.objectContaining({ pointer: '/providers/a' }),
          expect.objectContaining({ pointer: '/agents/0/run' }),
        ],
      }),
    }),
  );
});

it('the rest of a configuration can be looked at without the parts that are broken', async () => {
  await writeFile(join(folder, 'touchstone.config.yaml'), BROKEN);
  const rest = soundParts(await loadConfig(undefined, folder));
  expect(rest).toMatchObject({
    providers: {},
    modelClasses: {},
    tools: [],
    mcpServers: {},
    trust: {},
    packs: [],
  });
  expect(rest).not.toHaveProperty('judge');
  expect(rest.agents.map(({ agentId }) => agentId)).toEqual(['local.acme.a']);
  expect(() => checkParts(rest)).not.toThrow();
  const sound = parseConfig({ judge: { model: 'a/b' }, packs: ['p'], tools: [] }, folder);
  expect(soundParts(sound)).toEqual(sound);
});
