import type { Json } from './json.js';
import { isObject } from './object.js';

// JSON pointers (RFC 6901), written and read in one place so that names with `/` or `~` are escaped the same everywhere.

/** The pointer to a member of what `pointer` points to. */
export const child = (pointer: string, key: string | number): string =>
  `${pointer}/${typeof key === 'number' ? key : key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The pointer to the value at the end of a path; the empty pointer is the whole document. */
export const pointerOf = (path: readonly (string | number)[]): string => path.reduce<string>(child, '');

/** The names and indices that a pointer goes through; none for the whole document. */
export const segmentsOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The pointer one step up; the whole document has none, and is its own parent. */
export const parentOf = (pointer: string): string => pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));

/** The value that a pointer leads to; undefined when it leads nowhere. */
export function readPointer(value: Json, pointer: string): Json | undefined {
  return segmentsOf(pointer).reduce<Json | undefined>(memberOf, value);
}

function memberOf(value: Json | undefined, segment: string): Json | undefined {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(segment) ? value[Number(segment)] : undefined;
  return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}
