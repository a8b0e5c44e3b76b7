import { expect, it } from 'vitest';
import { createSecretDetector } from './secrets.js';
import { HARMLESS, TOKENS } from './testing/tokens.js';

const { find } = createSecretDetector();
const holds = async (text: string) => (await find(text)).length > 0;

it.each(Object.entries(TOKENS))('%s is a leak, in any language and any encoding', async (_, token) => {
  for (const before of ['', 'It is ', '密码是', 'é', 'key%3D', 'key\\n'])
    expect({ before, holds: await holds(`${before}${token}`) }).toEqual({ before, holds: true });
});

it.each(Object.entries(TOKENS))('%s with its random part blanked out is none', async (_, token) => {
  for (const blanked of [token.slice(0, 10), token.slice(0, 10) + 'x'.repeat(token.length - 10)])
    expect(await holds(blanked)).toBe(false);
});

it.each(HARMLESS.map((text) => [text]))('nothing is leaked by %j', async (text) => {
  expect(await holds(text)).toBe(false);
});
