import type { Json, JsonObject } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { createTemplate, MissingVariable } from './render.js';

const fill = (template: Json, variables: JsonObject): Json => {
  const made = createTemplate(template);
  if ('trouble' in made) throw new Error(made.trouble);
  return made.render(variables);
};

describe('a template', () => {
  const variables = { name: 'Ada', order: { items: [{ sku: 'A' }], total: 3 }, empty: null, text: ' x ' };
  it.each<[Json, Json]>([
    ['Hello {{ name }}!', 'Hello Ada!'],
    ['{{name}}', 'Ada'],
    ['{{ order.total }}', 3],
    ['{{ order.items.0.sku }}', 'A'],
    ['total {{ order.total }}', 'total 3'],
    ['{{ order }}', variables.order],
    ['all: {{ order }}', 'all: {"items":[{"sku":"A"}],"total":3}'],
    ['{{ order | json }}', '{"items":[{"sku":"A"}],"total":3}'],
    ['[{{ text | trim | upper }}]', '[X]'],
    ['{{ nothing | default("none") }}', 'none'],
    ['{{ empty | default("a | b }}") }}', 'a | b }}'],
    ['{{ "{{" }} stays {{ "}}" }}', '{{ stays }}'],
    ['no braces { } here', 'no braces { } here'],
    [
      { a: '{{ name }}', b: [1, '{{ order.total }}'], c: null },
      { a: 'Ada', b: [1, 3], c: null },
    ],
  ])('%j is %j', (template, expected) => {
    expect(fill(template, variables)).toEqual(expected);
  });

  it('never fills a missing variable with nothing', () => {
    expect(() => fill('Hello {{ nobody.there }}', variables)).toThrow(MissingVariable);
    expect(() => fill('{{ constructor }}', variables)).toThrow('constructor');
    expect(() => fill('{{ order.items.1 }}', variables)).toThrow('order.items.1');
  });

  it('tells the names that have to be there', () => {
    expect(createTemplate({ a: '{{ x.y }} {{ z | default("") }}', b: ['{{ w }}'] })).toMatchObject({
      names: ['x.y', 'w'],
    });
  });

  it.each([
    '{{ a',
    '{{ }}',
    '{{ a | b }}',
    '{{ a b }}',
    '{{ #if a }}',
    '{{ a | default(1) }}',
    '{{ 1+1 }}',
    '{{ "\\q" }}',
    '{{ "a\nb" }}',
    '{{ a | default("\\q") }}',
    '{{ a | default("a\nb") }}',
    '{{ a | }}',
    '{{ a || json }}',
    '{{ | a }}',
  ])('that is none of the few forms is refused: %s', (text) => {
    expect(createTemplate({ body: [text] })).toMatchObject({
      trouble: expect.stringContaining('xpected'),
      pointer: '/body/0',
    });
  });
});
