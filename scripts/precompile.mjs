// Lets Ajv compile at build time what commands and requests wait for: the suite schema, and the body of `POST /v1/runs`. Loading Ajv
// and compiling takes about a quarter of the time that `touchstone run` needs for a small suite, and the schemas never change.
import { writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { schemas } from '../packages/protocol/dist/wire/index.js';

const COMPILED = ['agent-eval-suite', 'run-create'];
const REFERRED_TO = ['run-options', 'budget-policy'];
// As in wire/schema/compile.ts, but for `uniqueItems`: code written to a file cannot call our own keyword, and the lists that
// use it here hold short texts, for which Ajv's is as fast.
const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  messages: false,
  validateSchema: false,
  code: { source: true },
});
for (const name of [...COMPILED, ...REFERRED_TO]) ajv.addSchema(schemas[name], schemas[name].$id);

const out = new URL('../packages/protocol/dist/wire/schema/precompiled.cjs', import.meta.url);
const ids = COMPILED.map((name) => schemas[name].$id);
const places = Object.fromEntries(ids.map((id, place) => [`validator${place}`, id]));
const members = Object.entries(places).map(([name, id]) => `${JSON.stringify(id)}: exports.${name}`);
writeFileSync(out, `${standalone.default(ajv, places)}\nmodule.exports = { ${members.join(', ')} };\n`);
