import { resolve } from 'node:path';
import { type Environment, fillIn } from '../../agents/index.js';
import { isPostgresUrl } from '../../store/index.js';

/** `env:NAME` is the whole of what a variable holds. */
export const asVariable = (written: string): string => written.replace(/^env:(\w+)$/, '${$1}');

/** A path, or the address of a database; undefined when it is neither. */
export function resolvedAddress(store: string, baseDir: string): string | undefined {
  if (store.startsWith('sqlite:')) return resolve(baseDir, store.slice('sqlite:'.length));
  return isPostgresUrl(store) ? store : undefined;
}

/** The same for what a person has written, variables included. */
export function storeAddressOf(written: string, baseDir: string, env: Environment): string | undefined {
  const { value, unset } = fillIn(asVariable(written), env);
  return unset.length > 0 ? undefined : resolvedAddress(value, baseDir);
}
