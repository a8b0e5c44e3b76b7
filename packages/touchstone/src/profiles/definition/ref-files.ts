import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { utf8 } from '../../suites/index.js';
import { MAX_TEXT_LENGTH } from './definition-text.js';
import type { ResolveRef } from './manifest-refs.js';

/** At most four bytes make a character, so what is longer is too long in any case. */
const MAX_BYTES = 4 * MAX_TEXT_LENGTH;

/** Reads referenced files below a folder, and nothing a link would lead to outside of it. */
export function refsBelow(folder: string): ResolveRef {
  const root = realpathSync(folder);
  return (path) => {
    const real = realPathOf(join(root, path));
    if (!real?.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return undefined;
    const stats = statSync(real);
    return stats.isFile() && stats.size <= MAX_BYTES ? utf8(readFileSync(real)) : undefined;
  };
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
