import { EXPLORATORY, plural, range, score, signed, slicesInOrder, whole } from '@touchstone/sdk/view';
import type { RunView } from '../../verbs/run/result.js';
import { renderTable } from '../table.js';
import { type Look, printable, truncate } from '../text.js';

const SLICES_SHOWN = 8;
const WIDE_ENOUGH = 80;

export function sliceLines({ report }: RunView, { ink, width }: Look): string[] {
  const slices = slicesInOrder(report?.slices ?? []);
  if (slices.length === 0 || width < WIDE_ENOUGH) return [];
  const compared = slices.some(({ scoreDelta }) => scoreDelta !== undefined);
  const heads = ['part', 'tasks', 'score', 'pass rate', '95 %', ...(compared ? ['change'] : [])];
  const rows = slices
    .slice(0, SLICES_SHOWN)
    .map((slice) => [
      truncate(printable(slice.name), width - 48),
      whole(slice.tasks),
      score(slice.score),
      score(slice.passRate),
      range(slice.passRateInterval),
      ...(compared ? [slice.scoreDelta === undefined ? '–' : signed(slice.scoreDelta)] : []),
    ]);
  const more = slices.length - SLICES_SHOWN;
  return [
    `  ${ink.dim(EXPLORATORY)}`,
    renderTable(heads, rows, ink),
    ...(more > 0 ? [`  ${ink.dim(`… and ${plural(more, 'more part')}`)}`] : []),
  ];
}
