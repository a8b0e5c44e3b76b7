import { createPublicKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { UsageError } from '../../exit.js';
import { MOST_BYTES } from '../../files/scorecard-file.js';
import { checkRegular } from '../../files/write-file.js';

// `export` replaces what an earlier `export` has written, and nothing else.

export function checkScorecardPlace(file: string, shown: string): void {
  checkRegular(file, shown, 'Use --out - for stdout.');
  checkReplaceable(file, shown, 'scorecard file', isEnvelope);
}

export function checkKeyPlace(file: string, shown: string): void {
  checkRegular(file, shown, 'Name another file with --public-key.');
  checkReplaceable(file, shown, 'public key', isPublicKey);
}

function checkReplaceable(file: string, shown: string, what: string, isOne: (text: string) => boolean): void {
  const entry = statSync(file, { throwIfNoEntry: false });
  if (!entry || (entry.size <= MOST_BYTES && isOne(readFileSync(file, 'utf8')))) return;
  throw new UsageError(`${shown} exists and is no ${what}.`, 'Name another, or remove it.');
}

function isEnvelope(text: string): boolean {
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === 'object' && document !== null && 'payloadType' in document;
  } catch {
    return false;
  }
}

/** A public key can be made out of a private one, which must not be mistaken for it. */
function isPublicKey(text: string): boolean {
  if (!text.trimStart().startsWith('-----BEGIN PUBLIC KEY-----')) return false;
  try {
    return createPublicKey(text).type === 'public';
  } catch {
    return false;
  }
}
