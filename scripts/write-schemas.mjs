// Writes the JSON Schemas that the package ships for editors, as `touchstone schema` prints them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { configFileSchema, judgeFileSchema } from '../packages/touchstone/dist/app/index.js';
import { suiteFileSchema } from '../packages/touchstone/dist/suites/index.js';

const folder = new URL('../packages/touchstone/schemas/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries({
  suite: suiteFileSchema(),
  config: configFileSchema(),
  judge: judgeFileSchema(),
}))
  writeFileSync(new URL(`${name}.schema.json`, folder), `${JSON.stringify(schema, null, 2)}\n`);
