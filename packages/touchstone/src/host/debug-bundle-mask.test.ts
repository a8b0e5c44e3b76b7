import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDeepMask } from './debug-bundle-mask.js';

const SECRET = 'sk-0123456789abcdef';
const hide = (text: string): string => text.replaceAll(SECRET, '[secret]');

it('finds a secret wherever it is in a value, and changes nothing else', async () => {
  const text = fc.oneof(
    fc.string(),
    fc.tuple(fc.string(), fc.string()).map((around) => around.join(SECRET)),
  );
  const value = fc.object({ key: text, values: [text, fc.integer(), fc.constant(null)], maxDepth: 4 });
  await fc.assert(
    fc.asyncProperty(value, async (given) => {
      const masked = await createDeepMask(async (text) => hide(text))(given);
      expect(JSON.stringify(masked)).not.toContain(SECRET);
      expect(JSON.parse(JSON.stringify(masked))).toEqual(JSON.parse(hide(JSON.stringify(given))));
    }),
  );
});

it.each([
  ['password'],
  ['dbPassword'],
  ['API_KEY'],
  ['api-key'],
  ['accessToken'],
  ['clientSecret'],
  ['Authorization'],
])('a member called %s holds a secret that need not look like one', async (name) => {
  const plain = 'tuesday at noon';
  const masked = await createDeepMask(hide)({
    list: [{ [name]: plain }, { said: plain }, { time: 'on tuesday' }],
  });
  expect(masked).toEqual({
    list: [{ [name]: '[REDACTED]' }, { said: '[REDACTED]' }, { time: 'on tuesday' }],
  });
  expect(await createDeepMask(hide)({ [name]: { parts: [plain] } })).toEqual({
    [name]: { parts: ['[REDACTED]'] },
  });
});

it('asks about a text once, about short ones never, and remembers only so many', async () => {
  const asked: string[] = [];
  const masked = createDeepMask((text) => {
    asked.push(text);
    return text;
  });
  for (let i = 0; i < 3; i++) await masked({ a: 'of seven', b: ['of seven', 'seven'], of_eight: 1 });
  expect(asked).toEqual(['of seven', 'of_eight']);
  const many = Array.from({ length: 5_000 }, (_, index) => `text number ${index}`);
  for (let i = 0; i < 2; i++) await masked(many);
  expect(asked.length).toBeGreaterThan(5_002);
  expect(asked.length).toBeLessThan(10_000);
});
