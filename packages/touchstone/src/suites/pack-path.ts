/** A path as packs write it: relative, with slashes, below the root. */
export type PackPath =
  | { readonly kind: 'inside'; readonly path: string }
  | { readonly kind: 'root' }
  | { readonly kind: 'escapes' }
  | { readonly kind: 'malformed' };

// A replacement character stands where the bytes of a name were not UTF-8. Two such names would look the same.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\uFFFD]/u;
const DRIVE = /^[A-Za-z]:/;
/** Packs need no deeper folders, and every level of every path is remembered while a pack is read. */
const MAX_DEPTH = 32;

/** Reads a path without following it. `./a`, `a/./b` and `a//b` are other spellings of paths and are taken as such. */
export function readPackPath(raw: string, maxLength: number): PackPath {
  if (raw === '' || raw.length > maxLength || UNPRINTABLE.test(raw)) return { kind: 'malformed' };
  if (raw.startsWith('/') || raw.includes('\\') || DRIVE.test(raw)) return { kind: 'escapes' };
  const segments = raw.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) return { kind: 'escapes' };
  if (segments.length > MAX_DEPTH) return { kind: 'malformed' };
  return segments.length === 0 ? { kind: 'root' } : { kind: 'inside', path: segments.join('/') };
}

const MAX_SHOWN = 200;

/** A path for a message: it is the author's, and may be as long as a manifest. */
export const shownPath = (path: string): string =>
  JSON.stringify(path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path);
