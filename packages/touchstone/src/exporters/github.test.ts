import { describe, expect, it } from 'vitest';
import { commentMarker, cutText, escapeData } from './github.js';

describe('a text that is too long for GitHub', () => {
  it('is cut between lines, and says so', () => {
    const lines = Array.from({ length: 1000 }, (_, at) => `| täsk-${at} |`).join('\n');
    const cut = cutText(lines, 500);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(500);
    const [whole, note] = cut.split('\n\n…');
    expect(lines.startsWith(`${whole}\n`)).toBe(true);
    expect(note).toContain('cut');
  });

  it('is left out where not even that can be said', () => expect(cutText('x'.repeat(50), 20)).toBe(''));

  it('stays as it is when it fits', () => expect(cutText('short\n', 6)).toBe('short\n'));
});

it('what would end a workflow command is escaped', () =>
  expect(escapeData('100 %\r\n::set-output')).toBe('100 %25%0D%0A::set-output'));

it('the marker of a comment cannot be ended from within', () =>
  expect(commentMarker('evals --> <b>')).toBe('<!-- touchstone run evals ___ _b_ -->'));
