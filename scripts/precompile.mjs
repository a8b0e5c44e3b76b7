// Lets Ajv compile the suite schema at build time. Loading Ajv and compiling takes about a quarter of the time that
// `touchstone run` needs for a small suite, and the schema never changes.
import { writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { schemas } from '../packages/protocol/dist/wire/index.js';

const schema = schemas['agent-eval-suite'];
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
ajv.addSchema(schema, schema.$id);

const out = new URL('../packages/protocol/dist/wire/schema/precompiled.cjs', import.meta.url);
writeFileSync(
  out,
  `${standalone.default(ajv, { suite: schema.$id })}\nmodule.exports = { ${JSON.stringify(schema.$id)}: exports.suite };\n`,
);
