/** JSON pointers (RFC 6901), written and read in one place so that keys with `/` or `~` are escaped the same everywhere. */
export const child = (pointer: string, key: string | number): string =>
  `${pointer}/${typeof key === 'number' ? key : escapeSegment(key)}`;

export const pointerOf = (path: readonly (string | number)[]): string => path.reduce<string>(child, '');

export const segmentsOf = (pointer: string): readonly string[] =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

export const parentOf = (pointer: string): string => pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));

const escapeSegment = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
