import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  child,
  type Issue,
  isObject,
  typeName,
  type UnknownObject,
  validationError,
} from '@touchstone/protocol';

const TRUST_POLICIES = ['open', 'allowlist', 'pinned', 'verified'] as const;
export type TrustPolicy = (typeof TRUST_POLICIES)[number];

export type TrustedKey = {
  readonly keyId: string;
  readonly publicKey: KeyObject;
  /** Whether packs of this key always sign all their files, so that one without the list has been tampered with. */
  readonly wholePack: boolean;
};

/** A pack by name, or by `prefix.*`; or exactly one archive of it. */
export type TrustedPack =
  | string
  | { readonly name: string; readonly version: string; readonly integrity: string };

export type Trust = {
  readonly policy: TrustPolicy;
  readonly keys: ReadonlyMap<string, TrustedKey>;
  readonly packs: readonly TrustedPack[];
};

type ReadKeyFile = (path: string) => string;

/** Reads the `trust` of a configuration. Throws `validation_error` with everything that is wrong with it. */
export function parseTrust(
  value: unknown,
  defaultPolicy: TrustPolicy,
  readKeyFile: ReadKeyFile,
  pointer = '/trust',
): Trust {
  const reader = new TrustReader(readKeyFile);
  const trust = reader.read(value === undefined ? {} : value, pointer);
  if (reader.issues.length > 0) throw validationError(reader.issues);
  return { ...trust, policy: trust.policy ?? defaultPolicy };
}

/** Collects what is wrong with the document. Names members and types, never what a key holds. */
class TrustReader {
  readonly issues: Issue[] = [];

  constructor(private readonly readKeyFile: ReadKeyFile) {}

  read(
    value: unknown,
    pointer: string,
  ): Omit<Trust, 'policy'> & { readonly policy: TrustPolicy | undefined } {
    const members = this.object(value, pointer, ['policy', 'keys', 'packs']) ?? {};
    const policy = TRUST_POLICIES.find((known) => known === members.policy);
    const keys = new Map<string, TrustedKey>();
    for (const [index, entry] of this.list(members.keys, child(pointer, 'keys')).entries())
      this.addKey(keys, entry, child(child(pointer, 'keys'), index));
    if (members.policy !== undefined && policy === undefined)
      this.refuse(child(pointer, 'policy'), `Expected one of ${TRUST_POLICIES.join(', ')}.`);
    const packs = this.list(members.packs, child(pointer, 'packs')).flatMap((entry, index) => {
      const at = child(child(pointer, 'packs'), index);
      const isName = typeof entry === 'string';
      if (isName && policy === 'pinned') return this.refuse(at, NAME_PINS_NOTHING) ?? [];
      return (isName ? this.text(entry, at) : this.pack(entry, at)) ?? [];
    });
    return { policy, keys, packs };
  }

  private addKey(keys: Map<string, TrustedKey>, value: unknown, pointer: string): void {
    const members = this.object(value, pointer, ['keyId', 'publicKey', 'file', 'wholePack']);
    if (!members) return;
    const keyId = this.text(members.keyId, child(pointer, 'keyId'));
    const publicKey = this.publicKey(members, pointer);
    const { wholePack = false } = members;
    if (typeof wholePack !== 'boolean')
      this.refuse(child(pointer, 'wholePack'), `Expected true or false, but found ${typeName(wholePack)}.`);
    if (keyId !== undefined && keys.has(keyId))
      this.refuse(child(pointer, 'keyId'), 'Another key has this keyId.');
    else if (keyId !== undefined && publicKey)
      keys.set(keyId, { keyId, publicKey, wholePack: wholePack === true });
  }

  private publicKey({ publicKey, file }: UnknownObject, pointer: string): KeyObject | undefined {
    if ((publicKey === undefined) === (file === undefined))
      return this.refuse(pointer, 'Expected either publicKey, with a PEM text, or file, with its path.');
    const at = child(pointer, file === undefined ? 'publicKey' : 'file');
    const text = this.text(file === undefined ? publicKey : file, at);
    const pem = text === undefined || file === undefined ? text : this.keyFile(text, at);
    if (pem === undefined) return undefined;
    if (/PRIVATE KEY/.test(pem))
      return this.refuse(at, 'This is a private key, which does not belong here. Give the public one.');
    const expected = 'Expected an Ed25519 public key in PEM form ("BEGIN PUBLIC KEY").';
    return publicKeyOf(pem) ?? this.refuse(at, expected);
  }

  private keyFile(path: string, pointer: string): string | undefined {
    try {
      return this.readKeyFile(path);
    } catch (cause) {
      const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
      return this.refuse(pointer, `Expected a readable key file (${reason}).`);
    }
  }

  private pack(value: unknown, pointer: string): TrustedPack | undefined {
    const names = ['name', 'version', 'integrity'] as const;
    const members = this.object(value, pointer, names);
    if (!members) return undefined;
    const texts = names.map((member) => this.text(members[member], child(pointer, member)));
    const [name, version, integrity] = texts;
    if (name === undefined || version === undefined || integrity === undefined) return undefined;
    if (INTEGRITY.test(integrity)) return { name, version, integrity };
    return this.refuse(child(pointer, 'integrity'), 'Expected sha256-<base64>.');
  }

  private object(value: unknown, pointer: string, known: readonly string[]): UnknownObject | undefined {
    if (!isObject(value)) return this.refuse(pointer, `Expected an object, but found ${typeName(value)}.`);
    for (const name of Object.keys(value).filter((key) => !known.includes(key)))
      this.refuse(child(pointer, name), `This member is not known here. Known are: ${known.join(', ')}.`);
    return value;
  }

  private list(value: unknown, pointer: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    if (value !== undefined) this.refuse(pointer, `Expected an array, but found ${typeName(value)}.`);
    return [];
  }

  private text(value: unknown, pointer: string): string | undefined {
    if (typeof value === 'string' && value !== '') return value;
    return this.refuse(pointer, `Expected a string that is not empty, but found ${typeName(value)}.`);
  }

  private refuse(pointer: string, message: string): undefined {
    this.issues.push({ pointer, message });
    return undefined;
  }
}

const NAME_PINS_NOTHING =
  'The policy "pinned" wants exactly one archive, and a name alone pins none. Write {"name": …, "version": …, "integrity": "sha256-…"}, as shown by: touchstone pack verify <archive>';

const INTEGRITY = /^sha256-[A-Za-z0-9+/]{43}=$/;

/** The platform would also take a certificate, or make a public key of a private one. */
function publicKeyOf(pem: string): KeyObject | undefined {
  if (!pem.includes('-----BEGIN PUBLIC KEY-----')) return undefined;
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}
