import { expect, test } from 'vitest';
import { checkPackIntegrity } from '../signing/signature.js';
import { codeOf } from '../testing/pack-bytes.js';
import { checkPackIdentity, checkPackName, checkPackVersion } from './identity.js';

test.each([
  ['vendor.acme.support', 'no error'],
  ['core.a.b.cD-e_f', 'no error'],
  ['local.acme.support', 'invalid_pack_scope'],
  ['', 'invalid_pack_scope'],
  ['Vendor.acme.support', 'invalid_pack_scope'],
  ['vendor', 'invalid_pack_name'],
  ['vendor.acme', 'invalid_pack_name'],
  ['vendor.acme.', 'invalid_pack_name'],
  ['vendor.Acme.support', 'invalid_pack_name'],
  ['vendor.acme.support\n', 'invalid_pack_name'],
  ['vendor.acme.../up', 'invalid_pack_name'],
  [`vendor.acme.${'a'.repeat(250)}`, 'invalid_pack_name'],
])('the name %j gives %s', async (name, code) => {
  expect(await codeOf(() => checkPackName(name))).toBe(code);
});

test.each([
  ['1.2.0', 'no error'],
  ['1.2.0-rc.1+build.7', 'no error'],
  ['1.2', 'invalid_version'],
  ['v1.2.0', 'invalid_version'],
  [' 1.2.0', 'invalid_version'],
  ['1.2.0 ', 'invalid_version'],
  ['01.2.0', 'invalid_version'],
  ['', 'invalid_version'],
  ['latest', 'invalid_version'],
])('the version %j gives %s', async (version, code) => {
  expect(await codeOf(() => checkPackVersion(version))).toBe(code);
});

test('a pack is the one that was asked for', async () => {
  const pack = { name: 'vendor.acme.support', version: '1.2.0' };
  expect(await codeOf(() => checkPackIdentity(pack, pack.name, '1.2.0'))).toBe('no error');
  expect(await codeOf(() => checkPackIdentity(pack, 'vendor.acme.other', '1.2.0'))).toBe(
    'manifest_name_mismatch',
  );
  expect(await codeOf(() => checkPackIdentity(pack, pack.name, '1.2.1'))).toBe('manifest_version_mismatch');
});

test('an archive has the hash that it was announced with', async () => {
  const pack = { integrity: `sha256-${'A'.repeat(43)}=` };
  expect(await codeOf(() => checkPackIntegrity(pack, pack.integrity))).toBe('no error');
  expect(await codeOf(() => checkPackIntegrity(pack, 'sha256-'))).toBe('pack_integrity_failure');
});
