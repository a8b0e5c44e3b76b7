import type { JsonObject } from '@touchstone/protocol';
import type { ImportCounts, ImportItem, ImportOutput } from './imported.js';

const REPORT = 'import-report.md';

/** One line for the terminal. */
export function summaryOf({ tests, assertions, lost }: ImportCounts): string {
  const carried = `${tests.carried} of ${tests.all} tests, ${assertions.carried} of ${assertions.all} assertions carried over`;
  return lost > 0 ? `${carried}; ${lost} lost: ${REPORT}` : `${carried}; nothing lost: ${REPORT}`;
}

/** The report for programs. */
export const reportDocument = ({ format, counts, items, details }: ImportOutput): JsonObject =>
  ({ reportVersion: 1, format, ...counts, items, details }) as unknown as JsonObject;

const HEADINGS = {
  lost: 'Lost',
  changed: 'Changed: it means something else now',
  note: 'Worth knowing',
} as const;

/** The report for people. */
export function reportText(imported: ImportOutput): string {
  const { format, counts, items, details } = imported;
  const sections = (['lost', 'changed', 'note'] as const).flatMap((severity) => {
    const found = items.filter((item) => item.severity === severity);
    return found.length === 0 ? [] : [`## ${HEADINGS[severity]}`, '', ...found.map(lineOf), ''];
  });
  const others = details.flatMap(({ heading, lines }) => [
    `## ${heading}`,
    '',
    ...lines.map((line) => `- ${line}`),
    '',
  ]);
  const head = [`# Import of ${format}`, '', `${summaryOf(counts).replace(`: ${REPORT}`, '')}.`, ''];
  return `${[...head, ...sections, ...others].join('\n').trimEnd()}\n`;
}

function lineOf({ file, line, column, pointer, what, became, hint, times }: ImportItem): string {
  const place = `\`${file}:${line}:${column}\`${pointer === '' ? '' : ` \`${pointer}\``}`;
  const often = times === undefined ? '' : ` (${times} times)`;
  const after = [became === undefined ? '' : ` Became: ${became}.`, hint === undefined ? '' : ` ${hint}`];
  return `- ${place}: ${what}${often}.${after.join('')}`;
}
