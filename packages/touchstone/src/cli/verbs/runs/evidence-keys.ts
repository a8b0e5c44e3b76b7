import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readOwnKey, type TrustedKey, trustedKeyOf, trustOf } from '../../../app/index.js';
import { readText } from '../../files/local-files.js';
import { type Context, UsageError, writeLine } from '../../io.js';
import { readConfig } from '../../local.js';
import { printable } from '../../render/text.js';
import { isSystemError, wordsOf } from '../../system-errors.js';

/** A key that is trusted by its name, and where that is said. */
export type KnownKey = TrustedKey & { readonly from: string };
/** A key that the user has named by its file: what it is called, only the files it has signed can tell. */
type GivenKey = { readonly file: string; readonly publicKey: KeyObject };
export type Keys = { readonly known: readonly KnownKey[]; readonly given: readonly GivenKey[] };

/** Whose signatures on scorecards are believed: the configured keys, this machine's own, and those named by `--key`. */
export async function trustedKeys(context: Context, files: readonly string[]): Promise<Keys> {
  const { io } = context;
  const own = ownKeyIfAny(context);
  const configured = await configuredKeys(context, files);
  return {
    known: [...configured, ...(own ? [{ ...own, from: 'this machine' }] : [])],
    given: files.map((file) => ({ file, publicKey: readPublicKey(file, io.cwd) })),
  };
}

/** With a key at hand, a configuration that cannot be read only trusts nobody else. */
async function configuredKeys(context: Context, files: readonly string[]): Promise<readonly KnownKey[]> {
  try {
    const keys = [...trustOf(await readConfig(context), 'cli').keys.values()];
    return keys.map(({ wholePack: _, ...key }) => ({ ...key, from: 'trust.keys' }));
  } catch (error) {
    if (files.length === 0) throw error;
    const why = error instanceof Error ? error.message : String(error);
    writeLine(context.io.stderr, printable(`warning: The configuration is not used: ${why}`));
    return [];
  }
}

/** Others may have signed what is asked about, so a key that cannot be used is only one that is not trusted. */
function ownKeyIfAny({ io, settings }: Context): TrustedKey | undefined {
  const data = resolve(io.cwd, settings.data);
  try {
    const own = readOwnKey(data);
    return own && trustedKeyOf(own);
  } catch (error) {
    const file = join(settings.data, 'signing-key.pem');
    const why = isSystemError(error) ? wordsOf(error) : 'it is no Ed25519 private key';
    writeLine(io.stderr, printable(`warning: The key of this machine, ${file}, is not trusted: ${why}.`));
    return undefined;
  }
}

function readPublicKey(file: string, cwd: string): KeyObject {
  const path = resolve(cwd, file);
  if (!existsSync(path))
    throw new UsageError(
      `There is no key file ${file}.`,
      'Get the public key from who signed the scorecard; "touchstone export --public-key" writes it.',
    );
  const pem = readText(path, file);
  if (/PRIVATE KEY/.test(pem))
    throw new UsageError(
      `${file} is a private key, and the public one verifies.`,
      `Make it with: openssl pkey -in ${file} -pubout -out pub.pem`,
    );
  const key = publicKeyIn(pem);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new UsageError(
    `${file} is not an Ed25519 public key in PEM form ("BEGIN PUBLIC KEY").`,
    'Get the public key from who signed the scorecard.',
  );
}

function publicKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}
