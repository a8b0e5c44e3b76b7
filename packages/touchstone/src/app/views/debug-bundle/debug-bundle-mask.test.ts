import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDeepMask, kindOfName, type Mask } from './debug-bundle-mask.js';

const SECRET = 'sk-0123456789abcdef';
const hide = (text: string): string => text.replaceAll(SECRET, '[secret]');
const unhurried = { isDue: () => false, pause: async () => undefined };
const deepMask = (mask: Mask) => createDeepMask(mask, unhurried);

it('finds a secret wherever it is in a value, and changes nothing else', async () => {
  const text = fc.oneof(
    fc.string(),
    fc.tuple(fc.string(), fc.string()).map((around) => around.join(SECRET)),
  );
  const value = fc.object({ key: text, values: [text, fc.integer(), fc.constant(null)], maxDepth: 4 });
  await fc.assert(
    fc.asyncProperty(value, async (given) => {
      const masked = await deepMask(async (text) => hide(text))(given);
      expect(JSON.stringify(masked)).not.toContain(SECRET);
      expect(JSON.parse(JSON.stringify(masked))).toEqual(JSON.parse(hide(JSON.stringify(given))));
    }),
  );
});

it.each([
  ['a text', 'tuesday at noon'],
  ['a short text', 'x'],
  ['an empty text', ''],
  ['a number', 4711],
  ['nought', 0],
  ['a side', true],
  ['a list', ['tuesday', 7]],
  ['an object', { user: 'me', parts: ['x'] }],
])('a member called a password is masked whole: %s', async (_, password) => {
  const masked = await deepMask(hide)({ list: [{ password }, { said: 'on tuesday' }] });
  expect(masked).toEqual({ list: [{ password: '[REDACTED]' }, { said: 'on tuesday' }] });
});

it('what is called a secret is one beside that member too, and nothing is none', async () => {
  const plain = 'tuesday at noon';
  const value = { said: [plain, 'on tuesday'], auth: { parts: [plain] }, token: null, cookies: undefined };
  expect(await deepMask(hide)(value)).toEqual({
    said: ['[REDACTED]', 'on tuesday'],
    auth: '[REDACTED]',
    token: null,
    cookies: undefined,
  });
});

it('counted tokens stay, and a text in their place does not', async () => {
  const usage = {
    inputTokens: 12,
    outputTokens: 3,
    cacheReadTokens: 0,
    budget: { maxTokens: 100, tokenLimit: 5 },
  };
  expect(await deepMask(hide)(usage)).toBe(usage);
  const detailed = { inputTokens: { total: 5, cached: 2 } };
  expect(await deepMask(hide)(detailed)).toBe(detailed);
  expect(await deepMask(hide)({ maxTokens: 'abc' })).toEqual({ maxTokens: '[REDACTED]' });
});

it('asks about a text once, however often it stands anywhere, and about short ones never', async () => {
  const asked: string[] = [];
  const masked = deepMask((text) => {
    asked.push(text);
    return text;
  });
  const many = Array.from({ length: 5_000 }, (_, index) => `text number ${index}`);
  for (let i = 0; i < 3; i++) await masked({ a: 'of seven', b: ['of seven', 'seven', ...many], of_eight: 1 });
  expect(asked.toSorted()).toEqual(['of seven', 'of_eight', ...many].toSorted());
});

it('pauses when that is due, among numbers and names as among texts', async () => {
  let pauses = 0;
  let steps = 0;
  const pace = {
    isDue: () => ++steps % 100 === 0,
    async pause() {
      pauses += 1;
    },
  };
  const members = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`n${index}`, index]));
  await createDeepMask(hide, pace)({ numbers: Array.from({ length: 1_000 }, (_, index) => index), members });
  expect(pauses).toBe(Math.floor(steps / 100));
  expect(steps).toBeGreaterThanOrEqual(4_000);
});

describe('a name', () => {
  it.each([
    ...['password', 'dbPassword', 'DB_PASSWORD', 'user-password', 'passwords', 'password2', 'mypassword'],
    ...['passwd', 'passphrase', 'passcode', 'pass', 'dbPass', 'smtp_pass', 'pwd', 'PWD'],
    ...['secret', 'secrets', 'clientSecret', 'client_secret', 'secretValue', 'clientsecret'],
    ...[
      'token',
      'tokens',
      'accessToken',
      'refresh_token',
      'x-auth-token',
      'tokenValue',
      'authtoken',
      'id token',
    ],
    ...['apiKey', 'api_key', 'API-KEY', 'apikeys', 'apiKeys', 'X-API-Key', 'openaiApiKey', 'APIKey'],
    ...['accessKey', 'AWS_ACCESS_KEY_ID', 'secretAccessKey', 'privateKey', 'private_keys', 'privatekey'],
    ...[
      'credential',
      'credentials',
      'awsCredentials',
      'authorization',
      'Authorization',
      'proxy-authorization',
    ],
    ...[
      'auth',
      'basicAuth',
      'auth_header',
      'oauth',
      'cookie',
      'Set-Cookie',
      'cookies',
      'bearer',
      'bearerValue',
    ],
    ...[
      'sessionId',
      'session_id',
      'SESSIONID',
      'pass\u200bword',
      'ｐａｓｓｗｏｒｄ',
      'maxTokenSecret',
      'api key limit',
    ],
  ])('that tells of a secret: %s', (name) => {
    expect(kindOfName(name)).toBe('secret');
  });

  it.each([
    ...[
      'inputTokens',
      'outputTokens',
      'totalTokens',
      'maxTokens',
      'maxBudgetTokens',
      'tokenLimit',
      'tokenCount',
    ],
    ...['cacheReadTokens', 'cacheWriteTokens', 'cachedInputTokens', 'promptTokens', 'completion_tokens'],
    ...['reasoning_tokens', 'tokenBudget', 'tokensUsed', 'outputTokenCount', 'max_tokens', 'tokensPerSecond'],
  ])('that counts tokens: %s', (name) => {
    expect(kindOfName(name)).toBe('counter');
  });

  it.each([
    ...[
      'passed',
      'passRate',
      'passAt',
      'passHatK',
      'passScore',
      'passedCount',
      'bypass',
      'compass',
      'passenger',
    ],
    ...[
      'author',
      'authority',
      'authored',
      'secretary',
      'tokenizer',
      'tokenizerName',
      'tokenized',
      'keywords',
    ],
    ...[
      'key',
      'publicKey',
      'keyId',
      'session',
      'sessions',
      'id',
      'cookieless',
      'bearing',
      'inputs',
      'outputs',
    ],
    ...['', '密码', 'reset', 'max', 'total', 'costUsd', 'secretly'],
  ])('that tells of none: "%s"', (name) => {
    expect(kindOfName(name)).toBe('plain');
  });
});
