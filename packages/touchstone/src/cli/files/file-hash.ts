import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The sha256 of a file, in hex, however long it is. */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
