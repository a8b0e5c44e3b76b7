import { createPublicKey, type KeyObject } from 'node:crypto';
import { defined, type Issue, isObject, validationError } from '@touchstone/protocol';
import {
  type AnyObject,
  choice,
  closed,
  either,
  flag,
  issueAt,
  list,
  name,
  ruled,
  schemaIssues,
  text,
  type Wire,
} from '@touchstone/protocol/schema';

import type { TrustedKey as EvidenceKey } from '../../evidence/index.js';

const TRUST_POLICIES = ['open', 'allowlist', 'pinned', 'verified'] as const;
export type TrustPolicy = (typeof TRUST_POLICIES)[number];

export type TrustedKey = EvidenceKey & {
  /** Whether packs of this key always sign all their files, so that one without the list has been tampered with. */
  readonly wholePack: boolean;
};

const NAME_PINS_NOTHING =
  'the policy "pinned" wants exactly one archive, and a name alone pins none; write {"name": …, "version": …, "integrity": "sha256-…"}, as shown by: touchstone pack verify <archive>';

const integrity = text(undefined, { pattern: '^sha256-[A-Za-z0-9+/]{43}=$', title: 'sha256-<base64>' });
/** A pack by name, or all below a prefix. A lone `*` would limit nothing, and is a mistake in a list of limits. */
const packNames = text(undefined, {
  pattern: '^[a-z][A-Za-z0-9_-]*(\\.[a-z][A-Za-z0-9_-]*)*(\\.\\*)?$',
  title: 'a name such as vendor.acme.support or a prefix such as vendor.acme.*',
});
const keyShape = closed(
  { keyId: name() },
  { publicKey: name(), file: name(), wholePack: flag(), names: ruled(list(packNames), emptyNames) },
);
/** A pack by name, or by `prefix.*`; or exactly one archive of it. */
const packShape = either(name(), closed({ name: name(), version: name(), integrity }));

const trustShape = (readKeyFile: ReadKeyFile) =>
  ruled(
    closed(
      {},
      {
        policy: choice(TRUST_POLICIES),
        keys: ruled(list(ruled(keyShape, (key) => issuesOf(publicKeyOf(key, readKeyFile)))), repeatedIds),
        packs: list(packShape),
        everySuite: flag(),
      },
    ),
    unpinned,
  );

export type TrustedPack = Wire<typeof packShape>;

export type Trust = {
  readonly policy: TrustPolicy;
  readonly keys: ReadonlyMap<string, TrustedKey>;
  readonly packs: readonly TrustedPack[];
  /** Whether the policy also holds for suites that come without an envelope. */
  readonly everySuite: boolean;
};

type ReadKeyFile = (path: string) => string;

/** Reads the `trust` of a configuration. Throws `validation_error` with everything that is wrong with it. */
export function parseTrust(
  value: unknown = {},
  defaultPolicy: TrustPolicy,
  readKeyFile: ReadKeyFile,
  pointer = '/trust',
): Trust {
  const shape = trustShape(readKeyFile);
  const issues = schemaIssues(shape, value);
  if (issues.length > 0)
    throw validationError(issues.map((issue) => ({ ...issue, pointer: pointer + issue.pointer })));
  const { policy = defaultPolicy, keys = [], packs = [], everySuite = false } = value as Wire<typeof shape>;
  const trusted = keys.map((key): [string, TrustedKey] => {
    const { keyId, wholePack = false, names } = key;
    const publicKey = publicKeyOf(key, readKeyFile);
    // Only when its file has changed since it was checked above.
    if ('message' in publicKey) throw validationError([publicKey]);
    return [keyId, defined({ keyId, publicKey, wholePack, names })];
  });
  return { policy, keys: new Map(trusted), packs, everySuite };
}

const unpinned = ({ policy, packs }: AnyObject): readonly Issue[] =>
  (policy === 'pinned' && Array.isArray(packs) ? packs : []).flatMap((pack, index) =>
    issueAt(`/packs/${index}`, typeof pack === 'string' && NAME_PINS_NOTHING),
  );

function emptyNames(names: readonly unknown[]): readonly Issue[] {
  return issueAt('', names.length === 0 && 'a key for no name signs nothing; leave names out for all');
}

function repeatedIds(keys: readonly unknown[]): readonly Issue[] {
  const ids = keys.map((key) => (isObject(key) ? key.keyId : undefined));
  return ids.flatMap((id, index) =>
    issueAt(`/${index}/keyId`, id !== undefined && ids.indexOf(id) < index && 'another key has this keyId'),
  );
}

const issuesOf = (key: KeyObject | Issue): readonly Issue[] => ('message' in key ? [key] : []);

/** The key, or why there is none. Names members and types, never what a key holds. */
function publicKeyOf(
  { publicKey, file }: Wire<typeof keyShape>,
  readKeyFile: ReadKeyFile,
): KeyObject | Issue {
  if ((publicKey === undefined) === (file === undefined))
    return { pointer: '', message: 'expected either publicKey, with a PEM text, or file, with its path' };
  const pointer = file === undefined ? '/publicKey' : '/file';
  try {
    const pem = file === undefined ? String(publicKey) : readKeyFile(String(file));
    if (/PRIVATE KEY/.test(pem))
      return { pointer, message: 'this is a private key, which does not belong here; give the public one' };
    const expected = 'expected an Ed25519 public key in PEM form ("BEGIN PUBLIC KEY")';
    return ed25519Of(pem) ?? { pointer, message: expected };
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    return { pointer, message: `expected a readable key file (${reason})` };
  }
}

/** The platform would also take a certificate, or make a public key of a private one. */
function ed25519Of(pem: string): KeyObject | undefined {
  if (!pem.includes('-----BEGIN PUBLIC KEY-----')) return undefined;
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}
