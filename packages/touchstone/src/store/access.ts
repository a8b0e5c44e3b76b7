import { HostError } from '@touchstone/protocol';
import type { SqlValue } from './db.js';

// What callers are refused alike, whatever the engine.

export const closedError = (): HostError =>
  new HostError('unavailable', 'The store has been closed. Nothing can be read or written after that.');

/** SQLite's driver ends a text at a NUL, so `acme` and `acme<NUL>x` would be one tenant; PostgreSQL has no such texts. JSON escapes it. */
export function checkText(params: readonly SqlValue[]): void {
  for (const value of params) {
    if (typeof value === 'string' && value.includes('\0')) throw textWithNul();
  }
}

const textWithNul = (): HostError =>
  new HostError('validation_error', 'A name holds a NUL character, which no stored name can. Remove it.');
