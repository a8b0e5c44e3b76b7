import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHECK_NAMES } from '@touchstone/protocol/bodies';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { configFileSchema } from '../packages/touchstone/src/app/config/config-schema.js';
import { suiteFileSchema } from '../packages/touchstone/src/suites/index.js';
import { parseYaml } from '../packages/touchstone/src/suites/text/yaml.js';

// Goal: an editor that uses the shipped schemas never calls a file wrong that works.

const root = fileURLToPath(new URL('..', import.meta.url));
const SKIPPED = new Set(['node_modules', 'dist']);
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(join(folder, entry.name));
    return [join(folder, entry.name)];
  });
const FILES = [join(root, 'examples'), join(root, 'packages/touchstone/assets')].flatMap(filesBelow);
const named = (pattern: RegExp): string[] =>
  FILES.filter((file) => pattern.test(file)).map((file) => relative(root, file));

const SCHEMAS = { suite: suiteFileSchema(), config: configFileSchema() };
const ajv = new Ajv2020({ strict: false });
const VALIDATORS = { suite: ajv.compile(SCHEMAS.suite), config: ajv.compile(SCHEMAS.config) };
const troubles = (name: keyof typeof SCHEMAS, value: unknown): readonly string[] => {
  const validate = VALIDATORS[name];
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
};
const valueIn = async (file: string): Promise<unknown> => {
  const text = readFileSync(join(root, file), 'utf8');
  return file.endsWith('.json') ? JSON.parse(text) : parseYaml(text).value;
};

describe('every example', () => {
  it.each(named(/\.suite\.(?:yaml|json)$/))('%s fits the schema of suite files', async (file) => {
    expect(troubles('suite', await valueIn(file))).toEqual([]);
  });

  it.each(named(/touchstone\.config\.json$/))('%s fits the schema of the configuration', async (file) => {
    expect(troubles('config', await valueIn(file))).toEqual([]);
  });
});

const suite = (expectation: unknown): object => ({
  suiteId: 'acme.shop.evals.desk',
  version: '1.0.0',
  tasks: [{ taskId: 'one', input: 'hi', expect: [expectation] }],
});

it('the schema of suite files knows every check, and no others', () => {
  for (const name of CHECK_NAMES) expect(troubles('suite', suite({ [name]: {} }))).toEqual([]);
  expect(troubles('suite', suite({ contians: 'friday' }))).not.toEqual([]);
  expect(troubles('suite', suite({ contains: 'friday', ignorecase: true }))).not.toEqual([]);
});

it('the schema of the configuration knows every kind of agent, and its members', () => {
  const config = (run: object): object => ({ agents: [{ agentId: 'local.a.b', version: '1.0.0', run }] });
  expect(troubles('config', config({ kind: 'module', path: './agent.mjs' }))).toEqual([]);
  expect(troubles('config', config({ kind: 'module', pth: './agent.mjs' }))).not.toEqual([]);
  expect(troubles('config', { agnets: [] })).not.toEqual([]);
});
