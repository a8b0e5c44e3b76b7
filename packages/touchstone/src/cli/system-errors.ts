/** What the system's codes mean to the person who named the file. */
const WORDS: { readonly [code: string]: string } = {
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EROFS: 'it is on a file system that cannot be written to',
  EEXIST: 'there is something else of that name',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'it is a link that leads back to itself',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  EIO: 'the device reports an error',
};

type SystemError = Error & { readonly code: string; readonly path?: string };

/** An error of the file system, as Node reports it. */
export const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';

/** Something was done, and what came of it could not be written down. */
export class UnwritableError extends Error {
  constructor(place: string, cause: unknown) {
    super(`${place} cannot be written: ${wordsOf(cause)}.`, { cause });
    this.name = 'UnwritableError';
  }
}

export const wordsOf = (error: unknown): string =>
  isSystemError(error)
    ? (WORDS[error.code] ?? error.code)
    : error instanceof Error
      ? error.message
      : String(error);
