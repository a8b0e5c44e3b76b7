import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JsonObject, JudgeListing } from '@touchstone/protocol';
import { readJudgeFile } from '../../app/index.js';
import type { Io } from '../io.js';

type Install = (judge: JsonObject) => Promise<Pick<JudgeListing, 'judgeRef'>>;

/** A file of a portable judge is installed, and named from then on; anything else is a name already. */
export async function judgeReference(
  { cwd }: Pick<Io, 'cwd'>,
  named: string | undefined,
  install: Install,
): Promise<string | undefined> {
  if (named === undefined || !/\.(json|ya?ml)$/i.test(named)) return named;
  const path = resolve(cwd, named);
  if (!existsSync(path) || !statSync(path).isFile()) return named;
  const { judge } = readJudgeFile(readFileSync(path), named);
  return (await install(judge)).judgeRef;
}
