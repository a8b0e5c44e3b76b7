import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { HostError } from '@touchstone/protocol';
import { UsageError } from '../exit.js';
import { wordsOf } from '../system-errors.js';

/** The sha256 of a file, in hex, however long it is. */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** The text of a regular file. `shown` is its name in messages. */
export function readText(path: string, shown: string): string {
  try {
    // Reading a pipe would wait for someone to write to it.
    if (!statSync(path).isFile()) throw new UsageError(`${shown} is not a regular file.`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new HostError('validation_error', `Cannot read ${shown}: ${wordsOf(error)}.`, undefined, error);
  }
}

/** As short as it can be typed from here. */
export function displayPath(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near.startsWith('..') || near === '' ? path : near;
}
