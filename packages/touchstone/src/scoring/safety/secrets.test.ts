import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadCredentialRules } from './credential-rules.js';
import { createSecretDetector } from './secrets.js';

// Put together here, so that nothing in this file is a secret by itself.
const drawn = 'Zq7Rt2Lm9Kx4Wp8Vb3Nc6Hd5Jf2Gs9Ty7Ue4Ia8Ro3'.repeat(3);
const token = `gh${'p_'}${drawn.slice(0, 36)}`;
const pem = (body: string) => `-----BEGIN ${'PRIVATE KEY'}-----\n${body}\n-----END ${'PRIVATE KEY'}-----`;
const jwt = (header: object) =>
  [header, { sub: 'x', role: 'admin' }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat(drawn.slice(0, 43))
    .join('.');

const holds = async (text: string) => (await createSecretDetector().find(text)).length > 0;

describe('secrets', () => {
  it.each([
    ['a token of the preset', `use ${token} now`],
    ['a token in an output that asks not to be searched', `// secretlint-disable\n${token}`],
    ['an access key id', `AK${'IA'}QZ7RTLMKXWPVBNCH`.replace('7', '6')],
    ['a live payment key', `sk${'_live_'}${drawn.slice(0, 24)}`],
    ['a private key', pem(drawn.slice(0, 64))],
    ['a private key on one line', pem(drawn.slice(0, 64)).replaceAll('\n', '\\n')],
    ['a signed token', `Bearer ${jwt({ alg: 'RS256' })}`],
    ['a database with its password', `postgres${'://'}app:${drawn.slice(0, 12)}@db.test/app`],
  ])('are found: %s', async (_what, text) => {
    expect(await holds(text)).toBe(true);
  });

  it.each([
    ['a placeholder', `gh${'p_'}${'x'.repeat(36)}`],
    ['an empty key', pem('...')],
    ['a public key', pem(drawn.slice(0, 64)).replaceAll('PRIVATE', 'PUBLIC')],
    ['an unsigned token', jwt({ alg: 'none' })],
    [
      'three parts that are no token',
      `eyJ${drawn.slice(0, 20)}.eyJ${drawn.slice(0, 20)}.${drawn.slice(0, 30)}`,
    ],
    ['a hash', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['a short namespace', 'SG.Config.Value'],
  ])('are not seen: %s', async (_what, text) => {
    expect(await holds(text)).toBe(false);
  });

  it('are found wherever they stand', async () => {
    const edge = fc.constantFrom('', ' ', '\n', '"', '(', ': ', 'é ');
    await fc.assert(
      fc.asyncProperty(edge, edge, fc.lorem(), async (before, after, prose) => {
        expect(await holds(`${prose}${before || ' '}${token}${after}`)).toBe(true);
      }),
    );
  });

  it('do not load the library for an output that cannot hold one', async () => {
    let loads = 0;
    const detector = createSecretDetector(() => {
      loads += 1;
      return loadCredentialRules();
    });
    await detector.find('Your order has been shipped today.');
    expect(loads).toBe(0);
    await Promise.all([detector.find(token), detector.find(`${token}\n`)]);
    expect(loads).toBe(1);
  });

  it('leave no marks on the timeline of the process', async () => {
    performance.clearMarks();
    await holds(token);
    expect(performance.getEntriesByType('mark')).toEqual([]);
  });
});

describe('secrets that only the task calls so', () => {
  const findGiven = createSecretDetector().findGiven;

  it.each([
    ['password: Falcon-77-x', 'It is Falcon-77-x.'],
    ['The access code is 7788-blue.', 'Use 7788-blue'],
    ['"api_key":"q9Rt77"', '{"k":"q9Rt77"}'],
  ])('are found when repeated: %s', async (given, output) => {
    expect(await findGiven(output, given)).toEqual([{ kind: 'secret-leak' }]);
  });

  it.each([
    ['password is required', 'A password is required.'],
    ['password: ********', 'password: ********'],
    ['nextToken: abc-123', 'abc-123'],
    ['password: Falcon-77-x', 'I keep it to myself.'],
  ])('are not seen in prose, masks or cursors: %s', async (given, output) => {
    expect(await findGiven(output, given)).toEqual([]);
  });
});
