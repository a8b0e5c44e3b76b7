import type { Timestamp } from '@touchstone/protocol';
import { age, score } from '@touchstone/sdk/view';
import { INDENT, wrapped } from '../labelled.js';
import { type Look, printable } from '../text.js';

/** What a person said that a score should have been. The note is content. */
export type Correction = {
  readonly annotationId: string;
  readonly score: number;
  readonly by: string;
  readonly at: Timestamp;
  readonly note?: string;
};

/** What people said of a task's score, the one that counts last; their reasons only where content may be shown. */
export function renderCorrections(
  corrections: readonly Correction[],
  automatic: number,
  bodies: boolean,
  now: number,
  look: Look,
): string {
  const { ink } = look;
  const lines = corrections.flatMap((correction, at) => {
    const when = `${age(Math.max(0, now - Date.parse(correction.at)))} ago`;
    const replaced = at < corrections.length - 1 ? ', replaced since' : '';
    const words = `${score(automatic)} → ${score(correction.score)}`;
    return [
      `${INDENT}${ink.cyan(words)}  ${ink.dim(`by ${printable(correction.by)}, ${when}${replaced}`)}`,
      ...(bodies && correction.note ? wrapped('note', printable(correction.note), look) : []),
    ];
  });
  return lines.length === 0 ? '' : `\n    ${ink.dim('corrected')}\n${lines.join('\n')}\n`;
}
