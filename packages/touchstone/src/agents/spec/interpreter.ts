import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { defined } from '@touchstone/protocol';

/** So many bytes of an agent are read for its digest. */
export const MAX_BYTES = 64 * 1024 * 1024;

/** A program that is too large to be an agent's own file, such as Node itself: known by what it says of itself. */
export type Interpreter = { readonly path: string; readonly size: number; readonly version?: string };

const VERSION_MS = 5_000;
const LONGEST_VERSION = 200;
const known = new Map<string, Promise<Interpreter>>();

/** Undefined for a program that is small enough for its bytes to count. */
export async function readInterpreter(path: string): Promise<Interpreter | undefined> {
  const { size, mtimeMs } = await stat(path);
  if (size <= MAX_BYTES) return undefined;
  const key = `${path} ${size} ${mtimeMs}`;
  const reading = known.get(key) ?? describe(path, size);
  known.set(key, reading);
  return reading;
}

/** Programs that know no `--version` are told apart by their size. */
async function describe(path: string, size: number): Promise<Interpreter> {
  const options = { timeout: VERSION_MS, maxBuffer: 64 * 1024 };
  const version = await promisify(execFile)(path, ['--version'], options).then(
    ({ stdout, stderr }) => (stdout || stderr).split('\n')[0]?.trim().slice(0, LONGEST_VERSION),
    () => undefined,
  );
  return defined({ path, size, version });
}
