import type { LookupAddress } from 'node:dns';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './addresses.js';
import { createGuard, type GuardOptions, GuardRefusal } from './guard.js';

const problems = (url: string, options: GuardOptions = {}) =>
  createGuard(options)
    .checkUrl(url)
    .map((issue) => issue.message);

describe('addresses that are not public', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.19.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::8.8.8.8',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700::1%eth0',
    'fec0::1',
    'ff02::1',
    'not an address',
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(false));
});

it.each([
  '1.1.1.1',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '2002:808:808::1',
  '64:ff9b::8.8.8.8',
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

it('an address is as public as the one it carries', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), ([a, b, c, d]) => {
      const v4 = [a, b, c, d].join('.');
      const hex = [a * 256 + b, c * 256 + d].map((group) => group.toString(16));
      expect(isPublicAddress(`64:ff9b::${v4}`)).toBe(isPublicAddress(v4));
      expect(isPublicAddress(`2002:${hex[0]}:${hex[1]}::1`)).toBe(isPublicAddress(v4));
      expect(isPublicAddress(`::ffff:${v4}`)).toBe(false);
    }),
  );
});

describe('a URL given by a tenant', () => {
  it.each([
    'https://agent.example/',
    'https://agent.example:8443/a?b',
    'https://8.8.8.8/',
    'https://[2606:4700::1]/',
  ])('%s is fine', (url) => expect(problems(url)).toEqual([]));

  it.each([
    ['http://agent.example/', 'https'],
    ['ftp://agent.example/', 'https'],
    ['file:///etc/passwd', 'https'],
    ['not a url', 'absolute'],
    ['https://user:secret@agent.example/', 'Credentials'],
    ['https://127.0.0.1/', 'not public'],
    ['https://2130706433/', 'not public'],
    ['https://0x7f.1/', 'not public'],
    ['https://0177.0.0.1/', 'not public'],
    ['https://127.1/', 'not public'],
    ['https://127.0.0.1./', 'not public'],
    ['https://①②⑦.0.0.1/', 'not public'],
    ['https://169.254.169.254/latest', 'not public'],
    ['https://[::1]/', 'not public'],
    ['https://[::ffff:7f00:1]/', 'not public'],
    ['https://[64:ff9b::a00:1]/', 'not public'],
    ['https://[fe80::1%25eth0]/', 'absolute'],
  ])('%s is refused', (url, words) => expect(problems(url)).toEqual([expect.stringContaining(words)]));

  it('is never quoted when it is refused', () => {
    expect(problems('https://user:hunter2@10.0.0.1/').join()).not.toMatch(/hunter2|10\.0\.0\.1/);
  });

  it('may be private, and plain there, when the operator says so', () => {
    const allowPrivate = { allowPrivate: true };
    expect(problems('http://127.0.0.1:9000/', allowPrivate)).toEqual([]);
    expect(problems('https://[fd00::1]/', allowPrivate)).toEqual([]);
    expect(problems('http://8.8.8.8/', allowPrivate)).toEqual([
      expect.stringContaining('private addresses only'),
    ]);
  });

  it('has to be on the list when there is one', () => {
    const options = { allowHosts: ['Agent.Example', '*.acme.test'] };
    expect(problems('https://agent.example/', options)).toEqual([]);
    expect(problems('https://AGENT.example./', options)).toEqual([]);
    expect(problems('https://a.b.acme.test/', options)).toEqual([]);
    for (const host of ['acme.test', 'evilacme.test', 'sub.agent.example', '8.8.8.8']) {
      expect(problems(`https://${host}/`, options)).toEqual([expect.stringContaining('allowlist')]);
    }
    expect(problems('https://10.0.0.1/', { allowHosts: ['10.0.0.1'] })).toEqual([
      expect.stringContaining('not public'),
    ]);
  });
});

describe('a name', () => {
  const resolveTo =
    (...addresses: readonly string[]) =>
    async (): Promise<LookupAddress[]> =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const lookup = (options: GuardOptions, url = 'https://agent.example/') =>
    promisify(createGuard(options).lookup(new URL(url)) as never)('agent.example', { all: true } as never);

  it('yields the addresses that were checked', async () => {
    expect(await lookup({ resolve: resolveTo('8.8.8.8', '2606:4700::1') })).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ]);
  });

  it.each([['10.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::ffff:10.0.0.1'], ['fd00::1']])(
    'that leads to %s is refused',
    async (...addresses) => {
      await expect(lookup({ resolve: resolveTo(...addresses) })).rejects.toBeInstanceOf(GuardRefusal);
    },
  );

  it('may lead to a private address over plain http when the operator says so, but not to a public one', async () => {
    const url = 'http://agent.example/';
    expect(await lookup({ allowPrivate: true, resolve: resolveTo('10.0.0.1') }, url)).toHaveLength(1);
    const toPublic = lookup({ allowPrivate: true, resolve: resolveTo('8.8.8.8') }, url);
    await expect(toPublic).rejects.toBeInstanceOf(GuardRefusal);
  });

  it('without an address is like a name that does not exist', async () => {
    await expect(lookup({ resolve: resolveTo() })).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
