import { type Issue, segmentsOf } from '@touchstone/protocol';

/**
 * The same issues with the place in the text that each points to; where there is nothing, the place around it. One
 * reader knows the places of both formats, because every JSON document is YAML as well.
 */
export async function withLines(issues: readonly Issue[], text: string): Promise<readonly Issue[]> {
  const { isNode, LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const startOf = (path: readonly string[]): number | undefined => {
    const node = path.length === 0 ? undefined : document.getIn(path, true);
    if (isNode(node)) return node.range?.[0];
    return path.length === 0 ? undefined : startOf(path.slice(0, -1));
  };
  return issues.map((issue) => {
    const start = startOf(segmentsOf(issue.pointer));
    if (start === undefined) return issue;
    const { line, col } = lines.linePos(start);
    return { ...issue, line, column: col };
  });
}
