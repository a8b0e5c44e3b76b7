import { describe, expect, it } from 'vitest';
import { kindOfName } from './debug-bundle-mask.js';

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
