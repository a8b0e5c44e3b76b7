import { whole } from '@touchstone/sdk/view';

/** Nothing in a cell may end the cell, the row or the table. */
export const cell = (text: string): string => text.replace(/[\\|`<>*_[\]]/g, '\\$&').replace(/\s+/g, ' ');

/** A name as code, when it is one that cannot end the code. */
export const code = (name: string): string => (/^[\w.@:/+~-]+$/.test(name) ? `\`${name}\`` : cell(name));

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** Folded away until the reader opens it. Without the empty lines what is inside is not read as Markdown. */
export const folded = (summary: string, content: string): string =>
  content === '' ? '' : `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`;

const IDS = 50;

/** Names one after the other, the rest of a long list counted. */
export const names = (ids: readonly string[]): string =>
  ids.slice(0, IDS).map(code).join(', ') + (ids.length > IDS ? ` … and ${whole(ids.length - IDS)} more` : '');
