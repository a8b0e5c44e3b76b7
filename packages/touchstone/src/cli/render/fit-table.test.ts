import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderFitting } from './table.js';
import { createInk, displayWidth } from './text.js';

const ink = createInk(true);
const linesOf = (text: string): string[] => stripVTControlCharacters(text).split('\n');
const columns = [
  { head: 'name', cells: ['alpha'] },
  { head: 'when', cells: [ink.dim('yesterday')], drop: 2 },
  { head: 'what', cells: ['a long text that can be cut'], least: 6 },
  { head: 'score', cells: [ink.green('1.00')], drop: 1 },
];

test.each([
  [Number.POSITIVE_INFINITY, '  alpha  yesterday  a long text that can be cut  1.00'],
  [40, '  alpha  yesterday  a long text …  1.00'],
  [26, '  alpha  yesterday  a lon…'],
  [20, '  alpha  a long tex…'],
  [15, '  alpha  a lon…'],
])('in %d columns what can be cut is cut, and then the least important is left out', (room, row) => {
  expect(linesOf(renderFitting(columns, ink, room))[1]).toBe(row);
});

test('no line is wider than the screen, as long as what has to stay fits', () => {
  const cell = fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^ -~]/g, '.'));
  const column = fc.record({
    head: fc.constant('head'),
    cells: fc.array(cell, { minLength: 2, maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(column, { maxLength: 5 }), fc.integer({ min: 8, max: 90 }), (others, room) => {
      const optional = others.map((one, drop) => ({ ...one, drop }));
      const shown = renderFitting([{ head: 'id', cells: ['a', 'b'] }, ...optional], ink, room);
      for (const line of linesOf(shown)) expect(displayWidth(line)).toBeLessThanOrEqual(room);
    }),
  );
});

test('names are cut in the middle', () => {
  const named = { head: 'suite', cells: ['local.acme.evals.refunds@1.2.0'], least: 8, named: true } as const;
  expect(linesOf(renderFitting([named], ink, 20))[1]).toBe('  local.acm…ds@1.2.0');
});
