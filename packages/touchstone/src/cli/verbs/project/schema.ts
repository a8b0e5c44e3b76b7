import { configFileSchema, judgeFileSchema } from '../../../app/index.js';
import { suiteFileSchema } from '../../../suites/index.js';
import { type Context, type ExitCode, writeJson } from '../../io.js';

const SCHEMAS = { suite: suiteFileSchema, config: configFileSchema, judge: judgeFileSchema };

/** Prints the JSON Schema that an editor checks a file with. */
export async function schemaCommand({ io }: Context, name: keyof typeof SCHEMAS): Promise<ExitCode> {
  writeJson(io, SCHEMAS[name]());
  return 0;
}
