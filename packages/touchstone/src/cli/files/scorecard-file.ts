import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Issue, isHostError, isObject, parseJson } from '@touchstone/protocol';
import type { CheckedScorecard, TrustedKey } from '../../app/index.js';
import { type Context, UsageError } from '../io.js';
import type { Doubt, Signer } from '../render/verification.js';
import type { Keys, KnownKey } from '../verbs/runs/evidence-keys.js';
import { readText } from './local-files.js';

/** Larger files are refused without being read. */
export const MOST_BYTES = 64 * 1024 * 1024;

/** The text of a file that may be a scorecard. What is certainly none is refused by what it is. */
export function readScorecardFile(path: string, shown: string): string {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (!entry) throw new UsageError(`There is no file ${shown}.`, 'Write one with: touchstone export <runId>');
  const isPack = entry.isDirectory()
    ? existsSync(join(path, 'pack.json'))
    : entry.isFile() && isArchive(path);
  if (isPack)
    throw new UsageError(
      `${shown} is a pack, and not a scorecard file.`,
      `Check it with: touchstone pack verify ${shown}`,
    );
  if (entry.size > MOST_BYTES)
    throw new UsageError(`${shown} is larger than any scorecard file.`, 'Name a scorecard file.');
  return readText(path, shown);
}

/** The same from a pipe, where nothing can be told but by reading it. */
export async function readScorecardInput({ io }: Context): Promise<string> {
  const text = await io.readInput(MOST_BYTES);
  if (text === undefined)
    throw new UsageError('stdin is larger than any scorecard file.', 'Hand over a scorecard file.');
  return text;
}

/** Archives are gzipped, and gzip begins with two bytes that no JSON begins with. */
function isArchive(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(2);
    readSync(file, head, 0, 2, 0);
    return head.equals(Buffer.from([0x1f, 0x8b]));
  } finally {
    closeSync(file);
  }
}

export type Checked = { readonly checked: CheckedScorecard; readonly signer: Signer };
export type Check = (text: string, keys: readonly TrustedKey[]) => CheckedScorecard;

/**
 * Looks at a file first with the keys whose names are known, then with those given by their files, each of which may be
 * the one of any signature. Throws what the check throws; of several refusals the one about a given key.
 */
export function checkWithKeys(text: string, { known, given }: Keys, check: Check): Checked {
  const plain = attempt(() => check(text, known));
  if (plain.value?.signature.state === 'trusted') return signed(plain.value, fromOf(plain.value, known));
  let refused: { readonly error: unknown } | undefined;
  for (const { file, publicKey } of given) {
    for (const keyId of signerNames(text)) {
      const tried = attempt(() => check(text, [...known, { keyId, publicKey }]));
      if (tried.value?.signature.state === 'trusted') return signed(tried.value, `--key ${file}`);
      if (!tried.value) refused ??= { error: tried.error };
    }
  }
  if (refused) throw refused.error;
  if (!plain.value) throw plain.error;
  return signed(plain.value, '');
}

type Attempt<T> = { readonly value?: T; readonly error?: unknown };

function attempt<T>(act: () => T): Attempt<T> {
  try {
    return { value: act() };
  } catch (error) {
    return { error };
  }
}

function signed(checked: CheckedScorecard, from: string): Checked {
  const { signature } = checked;
  return { checked, signer: signature.state === 'trusted' ? { ...signature, from } : signature };
}

const fromOf = ({ signature }: CheckedScorecard, known: readonly KnownKey[]): string =>
  known.find(({ keyId }) => signature.state === 'trusted' && keyId === signature.keyId)?.from ?? '';

/** The names under which a file says it is signed. */
function signerNames(text: string): readonly string[] {
  const parsed = parseJson(text);
  const signatures = isObject(parsed) ? parsed.signatures : undefined;
  const names = Array.isArray(signatures)
    ? signatures.map((signature) => (isObject(signature) ? signature.keyid : undefined))
    : [];
  return [...new Set(names.filter((name): name is string => typeof name === 'string' && name !== ''))];
}

/** Where a file that is none of ours differs from one that is. */
const NOT_OURS = /^(|\/payloadType|\/_type|\/predicateType)$/;

/** A scorecard file with parts that do not fit fails its verification; anything else is another kind of file. */
export function doubtsOf(error: unknown): readonly Doubt[] | undefined {
  const issues = isHostError(error) ? (error.details?.issues as readonly Issue[] | undefined) : undefined;
  if (!issues || issues.some(({ pointer }) => NOT_OURS.test(pointer))) return undefined;
  return issues.map(({ pointer, message }) =>
    /^\/(signatures|payload)/.test(pointer)
      ? { code: 'tampered', message }
      : { code: 'malformed', message: `${pointer}: ${message}` },
  );
}
