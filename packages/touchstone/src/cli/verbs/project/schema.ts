import type { JsonObject } from '@touchstone/protocol';
import { configFileSchema } from '../../../app/index.js';
import { suiteFileSchema } from '../../../suites/index.js';
import { type Context, type ExitCode, UsageError, writeJson } from '../../io.js';

const SCHEMAS: { readonly [name: string]: () => JsonObject } = {
  suite: suiteFileSchema,
  config: configFileSchema,
};

/** Prints the JSON Schema that an editor checks a file with. */
export async function schemaCommand({ io }: Context, name: string): Promise<ExitCode> {
  const schema = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
  if (!schema)
    throw new UsageError(`There is no schema ${name}.`, `Schemas: ${Object.keys(SCHEMAS).join(', ')}`);
  writeJson(io, schema());
  return 0;
}
