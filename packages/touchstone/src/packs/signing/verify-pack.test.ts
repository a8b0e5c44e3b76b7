import { describe, expect, test } from 'vitest';
import { readArchive } from '../archive/archive.js';
import { PACK_LIMITS } from '../archive/file-table.js';
import { buildPack } from '../build-pack.js';
import { openPack, openPackFiles, type PackReading } from '../open-pack.js';
import {
  codeOf,
  errorOf,
  keyPair,
  manifest,
  options,
  PACK_NAME,
  packFiles,
  suiteText,
} from '../testing/pack-bytes.js';
import { signBytes, writeFileList } from './signature.js';
import { parseTrust, type Trust, type TrustedPack, type TrustPolicy } from './trust.js';
import { verifyPack } from './verify-pack.js';

const alice = keyPair();
const mallory = keyPair();
const signing = { keyId: 'alice', privateKey: alice.privateKey };

const trustOf = (policy: TrustPolicy, packs: readonly TrustedPack[] = [], wholePack = false): Trust =>
  parseTrust(
    { policy, packs, keys: [{ keyId: 'alice', publicKey: alice.publicKey, wholePack }] },
    'open',
    String,
  );

type Change = (files: Map<string, Buffer>) => void;

/** The files of a pack that alice has signed, changed afterwards by somebody else. */
async function signedPack(change: Change = () => {}): Promise<PackReading> {
  const { archive } = await buildPack(packFiles(), { ...options, signing });
  const files = new Map(await readArchive(archive, PACK_LIMITS));
  change(files);
  return openPackFiles(files, options);
}

const outcome = async (pack: PackReading, trust: Trust): Promise<string> => {
  let found = '';
  const code = await codeOf(() => {
    const { signedBy = 'nobody', filesSigned, warnings } = verifyPack(pack, trust);
    found = `${signedBy}${filesSigned ? ', all files' : ''}${warnings.length > 0 ? ', warned' : ''}`;
  });
  return code === 'no error' ? found : code;
};

const strip: Change = (files) => {
  files.delete('keys/files.json');
  files.delete('keys/files.json.sig');
};
const bare = (members: object) => (files: Map<string, Buffer>) => {
  const document = JSON.parse(String(files.get('pack.json'))) as object;
  files.set('pack.json', Buffer.from(JSON.stringify({ ...document, ...members })));
  strip(files);
};
const unsigned = bare({ signing: undefined });
const byStranger = bare({
  signing: { method: 'manual', publicKeyRef: 'mallory', signatureRef: 'keys/pack.json.sig' },
});
const sigstore = bare({
  signing: { method: 'sigstore', publicKeyRef: 'alice', signatureRef: 'keys/pack.json.sig' },
});
const withSignature =
  (signature: Buffer | undefined): Change =>
  (files) => {
    strip(files);
    if (signature) files.set('keys/pack.json.sig', signature);
    else files.delete('keys/pack.json.sig');
  };
const changedManifest = bare({ description: 'changed' });
const relist = (files: Map<string, Buffer>, key: string, change = (list: string) => list) => {
  const list = Buffer.from(change(writeFileList(PACK_NAME, '1.2.0', files).toString()));
  files.set('keys/files.json', list);
  files.set('keys/files.json.sig', signBytes(list, { keyId: 'alice', privateKey: key }));
};

const REFUSED = 'pack_signature_invalid';
const BROKEN = 'pack_integrity_failure';

describe('a pack, by what was done to it and by the policy', () => {
  const cases: readonly (readonly [string, Change, { readonly [policy in TrustPolicy]: string }])[] = [
    ['signed whole', () => {}, all('alice, all files', 'alice, all files')],
    ['signed without a list of files', strip, all('alice, warned', 'alice, warned')],
    ['not signed', unsigned, all('nobody, warned', REFUSED)],
    ['signed by a stranger', byStranger, all('nobody, warned', REFUSED)],
    ['signed by Sigstore', sigstore, all('nobody, warned', REFUSED)],
    ['with a changed manifest', changedManifest, all(REFUSED, REFUSED)],
    ['without its signature', withSignature(undefined), all(REFUSED, REFUSED)],
    ['with a broken signature', withSignature(Buffer.alloc(64)), all(REFUSED, REFUSED)],
    ['with no signature in its place', withSignature(Buffer.from('x')), all(REFUSED, REFUSED)],
    [
      'with a swapped suite',
      (files) => files.set('evals/support.json', Buffer.from(suiteText('Why?'))),
      all(BROKEN, BROKEN),
    ],
    [
      'with a swapped prompt',
      (files) => files.set('prompts/support.md', Buffer.from('Obey.')),
      all(BROKEN, BROKEN),
    ],
    ['with a file more', (files) => files.set('extra.md', Buffer.from('x')), all(BROKEN, BROKEN)],
    ['with a file less', (files) => files.delete('README.md'), all(BROKEN, BROKEN)],
    [
      'with a list that is none',
      (files) => files.set('keys/files.json', Buffer.from('{}')),
      all(BROKEN, BROKEN),
    ],
    [
      'with a list that says something twice, properly signed',
      (files) => relist(files, alice.privateKey, (list) => list.replace('{', '{"name":"x",')),
      all(BROKEN, BROKEN),
    ],
    [
      'with a list of another version',
      (files) => files.set('keys/files.json', writeFileList(PACK_NAME, '1.3.0', files)),
      all(BROKEN, BROKEN),
    ],
    [
      'with a swapped prompt and a list signed by somebody else',
      (files) => {
        files.set('prompts/support.md', Buffer.from('Obey.'));
        relist(files, mallory.privateKey);
      },
      all(REFUSED, REFUSED),
    ],
    [
      'not signed, with a list that fits',
      (files) => {
        unsigned(files);
        relist(files, mallory.privateKey);
      },
      all('nobody, warned', REFUSED),
    ],
    [
      'with a list that lost its signature',
      (files) => files.delete('keys/files.json.sig'),
      all('alice, warned', 'alice, warned'),
    ],
  ];

  test.each(cases)('%s', async (_, change, expected) => {
    const pack = await signedPack(change);
    const { integrity } = pack;
    const pin = { name: PACK_NAME, version: '1.2.0', integrity };
    expect({
      open: await outcome(pack, trustOf('open')),
      allowlist: await outcome(pack, trustOf('allowlist', ['vendor.acme.*'])),
      pinned: await outcome(pack, trustOf('pinned', [pin])),
      verified: await outcome(pack, trustOf('verified')),
    }).toEqual(expected);
  });

  function all(unlessVerified: string, verified: string) {
    return { open: unlessVerified, allowlist: unlessVerified, pinned: unlessVerified, verified };
  }
});

describe('a key that signs whole packs', () => {
  const trust = trustOf('open', [], true);

  test('vouches for one that has its list', async () => {
    expect(await outcome(await signedPack(), trust)).toBe('alice, all files');
  });

  test.each<[string, Change]>([
    ['list and signature', strip],
    ['list', (files) => files.delete('keys/files.json')],
    ['signature', (files) => files.delete('keys/files.json.sig')],
  ])('does not vouch for one whose %s was taken away', async (_, change) => {
    expect(await outcome(await signedPack(change), trust)).toBe(REFUSED);
  });
});

describe('the list of the policy', () => {
  const pin = { name: PACK_NAME, version: '1.2.0', integrity: `sha256-${'A'.repeat(43)}=` };
  test.each<[string, TrustPolicy, readonly TrustedPack[], string]>([
    ['no entry', 'allowlist', [], 'forbidden'],
    ['the name', 'allowlist', [PACK_NAME], 'alice, all files'],
    ['a prefix', 'allowlist', ['vendor.*'], 'alice, all files'],
    ['a prefix that ends inside a part', 'allowlist', ['vendor.ac.*'], 'forbidden'],
    ['a longer name', 'allowlist', [`${PACK_NAME}.x`, `${PACK_NAME}.*`], 'forbidden'],
    ['another archive', 'allowlist', [pin], BROKEN],
    ['no entry', 'pinned', [], 'forbidden'],
    ['another pack', 'pinned', [{ ...pin, name: 'vendor.acme.other' }], 'forbidden'],
    ['another archive', 'pinned', [pin], BROKEN],
  ])('with %s, under %s', async (_, policy, packs, expected) => {
    expect(await outcome(await signedPack(), trustOf(policy, packs))).toBe(expected);
  });

  test('with a name that pins nothing, however it came there', async () => {
    const trust = { ...trustOf('allowlist', [PACK_NAME]), policy: 'pinned' } as const;
    expect(await outcome(await signedPack(), trust)).toBe('forbidden');
  });

  test('pins a version as well as a hash', async () => {
    const pack = await signedPack();
    const pinned = { name: PACK_NAME, version: '1.1.0', integrity: pack.integrity };
    expect(await outcome(pack, trustOf('pinned', [pinned]))).toBe(BROKEN);
    expect(await outcome(pack, trustOf('pinned', [{ ...pinned, version: '1.2.0' }]))).toBe(
      'alice, all files',
    );
  });
});

test('a signature may be written as base64 text', async () => {
  const toText = (files: Map<string, Buffer>) => {
    strip(files);
    const raw = files.get('keys/pack.json.sig') as Buffer;
    files.set('keys/pack.json.sig', Buffer.from(`${raw.toString('base64')}\n`));
  };
  expect(await outcome(await signedPack(toText), trustOf('verified'))).toBe('alice, warned');
});

test('a key inside the pack is nobody’s', async () => {
  const own = { method: 'manual', publicKeyRef: 'keys/mallory.pem', signatureRef: 'keys/pack.json.sig' };
  const files = packFiles(manifest({ signing: own }), { 'keys/mallory.pem': mallory.publicKey });
  const bytes = files.get('pack.json') as Buffer;
  files.set('keys/pack.json.sig', signBytes(bytes, { keyId: 'mallory', privateKey: mallory.privateKey }));
  expect(await outcome(await openPackFiles(files, options), trustOf('verified'))).toBe(REFUSED);
});

test('the paths that differ are named, and nothing else of them', async () => {
  const pack = await signedPack((files) => {
    files.set('prompts/support.md', Buffer.from('private words'));
    files.delete('README.md');
  });
  const { message, details } = await errorOf(() => verifyPack(pack, trustOf('open')));
  expect(details).toEqual({ paths: ['prompts/support.md', 'README.md'] });
  expect(message).toContain('2 files differ');
  expect(message).toContain('"prompts/support.md", "README.md".');
  expect(message).not.toContain('private words');
});

test('of many paths that differ the message names a few', async () => {
  const pack = await signedPack((files) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) files.set(`x/${name}.md`, Buffer.from('x'));
  });
  const { message } = await errorOf(() => verifyPack(pack, trustOf('open')));
  expect(message).toContain('"x/a.md", "x/b.md", "x/c.md" and 2 more.');
});

test('an archive verifies as its files do', async () => {
  const { archive } = await buildPack(packFiles(), { ...options, signing });
  const pack = await openPack(archive, options);
  expect(verifyPack(pack, trustOf('verified'))).toEqual({
    signedBy: 'alice',
    filesSigned: true,
    warnings: [],
  });
});

describe('a key that is limited to names', () => {
  const limited = (names: readonly string[], policy: TrustPolicy = 'verified'): Trust =>
    parseTrust(
      {
        policy,
        packs: policy === 'allowlist' ? [PACK_NAME] : [],
        keys: [{ keyId: 'alice', publicKey: alice.publicKey, names }],
      },
      'open',
      String,
    );

  test.each([[PACK_NAME], ['vendor.acme.*'], ['vendor.*'], ['core.openwop.*', 'vendor.acme.support']])(
    'signs for %s',
    async (...names) => {
      expect(await outcome(await signedPack(), limited(names))).toBe('alice, all files');
    },
  );

  test.each([['vendor.acme.other'], ['vendor.acmes.*'], ['vendor.acme.support.*'], ['core.openwop.*']])(
    'and not for packs outside of %s, under any policy',
    async (...names) => {
      for (const policy of ['open', 'allowlist', 'verified'] as const)
        expect(await outcome(await signedPack(), limited(names, policy))).toBe('pack_signature_invalid');
      const { message } = await errorOf(async () => verifyPack(await signedPack(), limited(names)));
      expect(message).toContain('trust.keys limits to other names');
    },
  );
});
