import type { Issue } from '@touchstone/protocol';
import type { Fault } from './json-scan.js';
import { createLines } from './lines.js';
import type { Source } from './source.js';

/** Everything that is wrong with a text, each with its line and column, in the order of the text. */
export function withPositions(
  text: string,
  source: Pick<Source, 'locate'>,
  faults: readonly Fault[],
  issues: readonly Issue[],
): readonly Issue[] {
  const offsetOf = issues.length > 0 ? source.locate(issues.map(({ pointer }) => pointer)) : () => 0;
  const located: readonly Fault[] = issues.map((issue) => ({ ...issue, offset: offsetOf(issue.pointer) }));
  const positionOf = createLines(text);
  // What concerns the whole file comes last: it may be a word about how much more is wrong.
  const inParts = located.filter(({ pointer }) => pointer !== '');
  const inWhole = located.filter(({ pointer }) => pointer === '');
  return [...[...faults, ...inParts].sort((a, b) => a.offset - b.offset), ...inWhole].map(
    ({ pointer, message, offset }) => ({ pointer, message, ...positionOf(offset) }),
  );
}
