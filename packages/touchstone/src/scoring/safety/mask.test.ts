import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MASK, maskSecrets } from './mask.js';
import { createSecretDetector } from './secrets.js';
import { drawn, HARMLESS, TOKENS } from './testing/tokens.js';

// Put together here, so that nothing in this file is a secret by itself.
const pem = (body: string) => `-----BEGIN ${'PRIVATE KEY'}-----\n${body}\n-----END ${'PRIVATE KEY'}-----`;
const jwt = [{ alg: 'HS256' }, { sub: 'x' }]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat(drawn.slice(0, 43))
  .join('.');

/** Secrets by name, each as the part of `text` that may not stay. */
const SECRETS: { readonly [name: string]: string } = {
  'a provider key': `sk${'-'}${drawn.slice(0, 48)}`,
  'a provider key in words': `sk${'-'}canary-please-do-not-leak-abc123`,
  'a provider key without digits': `sk${'-'}abcdefghijklmnop`,
  'a project key': `sk${'-proj-'}${drawn.slice(0, 40)}`,
  'a payment key': `sk${'_live_'}${drawn.slice(0, 24)}`,
  'a long key of the AIza kind': `AI${'za'}${drawn.slice(0, 44)}`,
  'a reference to a credential': 'cred_OPAQUE-reference-of-a-tenant',
  'a token of the preset': `gh${'p_'}${drawn.slice(0, 36)}`,
  'an access key id from the documentation': `AK${'IA'}IOSFODNN7${'EXAMPLE'}`,
  'a key block': pem(drawn.slice(0, 64)),
  'a key block on one line': pem(drawn.slice(0, 64)).replaceAll('\n', '\\n'),
  'a signed token': jwt,
  'a Mailgun key': `key${'-'}${'7c1e0b9f4a2d8563'.repeat(2)}`,
  ...TOKENS,
};
const IN_PLACE: readonly (readonly [string, string])[] = [
  [`Authorization: Bearer ${drawn.slice(0, 20)}`, `Authorization: Bearer ${MASK}`],
  ['use bearer abc12345 here', `use bearer ${MASK} here`],
  ['Authorization: Basic dXNlcjpwYXNzMQ==', `Authorization: Basic ${MASK}`],
  [`next%20Bearer%20${drawn.slice(0, 20)}&x=1`, `next%20Bearer%20${MASK}&x=1`],
  ['token=abcdefghijklmnop&x=1', `token=${MASK}&x=1`],
  ['{"token": "a1b2c3d4e5f6a7b8"}', `{"token": "${MASK}"}`],
  ['the token: a1b2-c3d4-e5f6-a7b8 is new', `the token: ${MASK} is new`],
  ['GET /\nCookie: sid=s3cr3t; theme=dark\nHost: x', `GET /\nCookie: ${MASK}\nHost: x`],
  ['Set-Cookie: sid=s3cr3t; HttpOnly', `Set-Cookie: ${MASK}`],
  ['see%20amqp://me:hunter2@host.test/', `see%20amqp://me:${MASK}@host.test/`],
  ['amqp://app:hunter2@queue.test/x', `amqp://app:${MASK}@queue.test/x`],
  ['{"password":"Falcon-77-x","user":"me"}', `{"password":"${MASK}","user":"me"}`],
  [`key "sk${'-'}${drawn.slice(0, 30)}", then`, `key "${MASK}", then`],
];

describe('a mask', () => {
  it.each(Object.entries(SECRETS))(
    'covers %s wherever it stands, and nothing around it',
    async (_, secret) => {
      const around = fc.constantFrom('', ' ', '\n', '"', '(', 'é', '密码是', 'a%3D', 'a\\n', '{"note":"');
      await fc.assert(
        fc.asyncProperty(
          around,
          fc.constantFrom('', ' ', '"', ')', '\n', ' and so on.'),
          async (before, after) => {
            expect(await maskSecrets(`${before}${secret}${after}`)).toBe(`${before}${MASK}${after}`);
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it.each(IN_PLACE)('keeps what is no secret: %s', async (text, masked) => {
    expect(await maskSecrets(text)).toBe(masked);
  });

  it.each([
    ['{"score":0.9}'],
    ['{"passed":false}'],
    [''],
    ['The answer should have been "42", see task-7 in core.acme.evals.refunds@1.2.0.'],
    ['Bearer authentication is a basic requirement; the password is required, authorization: granted.'],
    ['secret: required for step 1'],
    ['https://docs.example.com:8443/guide?x=1#sk-learn'],
    ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['run-01j9xk2v7q8m3n4p5r6s7t8v9w:12'],
    ['sk-learn, ask-me-anything-you-like'],
    ...HARMLESS.map((text) => [text]),
    [`-----BEGIN ${'PRIVATE KEY'}----- is how such a block begins, which the agent should not have said.`],
  ])('leaves a text without secrets as it is: %j', async (text) => {
    expect(await maskSecrets(text)).toBe(text);
  });

  it.each(Object.entries(SECRETS))('sees through characters without a width: %s', async (_, secret) => {
    const inside = fc.tuple(
      fc.nat(secret.length),
      fc.constantFrom('\u200b', '\u200c', '\u200d', '\u2060', '\ufeff'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(inside, { minLength: 1, maxLength: 5 }), async (all) => {
        const characters = [...secret];
        for (const [at, invisible] of all) characters[at] = `${invisible}${characters[at] ?? ''}`;
        const masked = await maskSecrets(`A remark: ${characters.join('')} and so on.`);
        expect(masked.replace(/[\u200b-\u200d\u2060\ufeff]/g, '')).toBe(`A remark: ${MASK} and so on.`);
      }),
      { numRuns: 20 },
    );
  });

  it('keeps characters without a width where there is no secret', async () => {
    const text =
      'Shy\u00adly: 👩\u200d💻 wrote e\u200bxtra\u2060ordinarily long words, 12345678 of them\ufeff.';
    expect(await maskSecrets(text)).toBe(text);
  });

  it('is final: masking again changes nothing, and no detector finds anything left', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...Object.values(SECRETS),
        ...IN_PLACE.map(([text]) => text),
        MASK,
        'Bearer ',
        'password=',
      ),
      fc.string({ maxLength: 20 }),
    );
    const detector = createSecretDetector();
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 8 }),
        fc.constantFrom('', ' ', '_'),
        async (pieces, glue) => {
          const masked = await maskSecrets(pieces.join(glue));
          expect(await maskSecrets(masked)).toBe(masked);
          expect(await detector.find(masked)).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('covers a secret across the border of two windows of a long text', async () => {
    const secret = SECRETS['a provider key'] as string;
    for (const offset of [-60, -20, -1, 0]) {
      const before = 'word '.repeat(60_000).slice(0, 64 * 1024 + offset - 1);
      expect(await maskSecrets(`${before} ${secret} ${before}`)).toBe(`${before} ${MASK} ${before}`);
    }
  });

  it('takes in hostile texts of many characters', async () => {
    const repeated = [
      'sk-',
      'bearer ',
      'password=',
      'a://b:',
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      'SG.a.',
      MASK,
      'authorization: x ',
    ];
    for (const unit of repeated) {
      const text = unit.repeat(Math.ceil(400_000 / unit.length));
      const masked = await maskSecrets(text);
      expect(await maskSecrets(masked)).toBe(masked);
    }
  });
});
