/** The known names nearest to a mistyped one; none when nothing is near. */
export function suggest(typed: string, known: readonly string[]): string[] {
  const measured = known.map((name) => ({ name, far: name.includes(typed) ? 0 : editDistance(typed, name) }));
  const nearest = Math.min(...measured.map(({ far }) => far));
  if (nearest > Math.max(2, Math.floor(typed.length / 3))) return [];
  return measured
    .filter(({ far }) => far === nearest)
    .map(({ name }) => name)
    .sort()
    .slice(0, 3);
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const swapped = (row[j - 1] ?? 0) + Number(from[i - 1] !== to[j - 1]);
      next.push(Math.min(swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** `Did you mean a or b?`, or the whole list when it is short, or nothing. */
export function didYouMean(typed: string, known: readonly string[], what: string): string | undefined {
  const near = suggest(typed, known);
  if (near.length > 0) return `Did you mean ${near.join(' or ')}?`;
  if (known.length === 0) return undefined;
  const shown = known.slice(0, 10);
  return `${what}: ${shown.join(', ')}${known.length > shown.length ? ', …' : ''}`;
}
