// What differs between two texts, as data. The terminal and the page lay it out.

/** One item of a difference: in both sequences, only in the first, or only in the second. */
export type Edit<T> = { readonly kind: 'same' | 'gone' | 'new'; readonly item: T };

/**
 * The fewest items to take out of one sequence and to put in to get the other, in order: what both share is a longest
 * common subsequence. Takes time and memory in proportion to the product of the lengths, so callers bound those.
 */
export function diffSequences<T>(before: readonly T[], after: readonly T[]): readonly Edit<T>[] {
  const head = sharedPrefix(before, after);
  const tail = sharedPrefix(before.slice(head).reverse(), after.slice(head).reverse());
  const mark = (kind: Edit<T>['kind'], items: readonly T[]): Edit<T>[] =>
    items.map((item) => ({ kind, item }));
  return [
    ...mark('same', after.slice(0, head)),
    ...walk(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...mark('same', after.slice(after.length - tail)),
  ];
}

function walk<T>(before: readonly T[], after: readonly T[]): readonly Edit<T>[] {
  const lengths = commonLengths(before, after);
  const at = (i: number, j: number): number => lengths[i * (after.length + 1) + j] ?? 0;
  const edits: Edit<T>[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      edits.push({ kind: 'same', item: after[j++] as T });
      i += 1;
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      edits.push({ kind: 'gone', item: before[i++] as T });
    } else edits.push({ kind: 'new', item: after[j++] as T });
  }
  return edits;
}

/** Row by row from the end: how much the rests of both sequences, from here on, have in common. */
function commonLengths<T>(before: readonly T[], after: readonly T[]): Uint32Array {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const below = lengths[(i + 1) * width + j] ?? 0;
      const right = lengths[i * width + j + 1] ?? 0;
      const both = (lengths[(i + 1) * width + j + 1] ?? 0) + 1;
      lengths[i * width + j] = before[i] === after[j] ? both : Math.max(below, right);
    }
  return lengths;
}

/** A stretch of items that are the same, or what was taken out together with what was put in instead. */
export type Hunk<T> =
  | { readonly kind: 'same'; readonly items: readonly T[] }
  | { readonly kind: 'changed'; readonly gone: readonly T[]; readonly added: readonly T[] };

export function hunksOf<T>(edits: readonly Edit<T>[]): readonly Hunk<T>[] {
  const hunks: { same: T[]; gone: T[]; added: T[] }[] = [];
  for (const { kind, item } of edits) {
    const last = hunks.at(-1);
    const fits = last && (kind === 'same') === last.same.length > 0;
    const hunk = fits ? last : { same: [], gone: [], added: [] };
    if (!fits) hunks.push(hunk);
    hunk[kind === 'new' ? 'added' : kind].push(item);
  }
  return hunks.map(({ same, gone, added }) =>
    same.length > 0 ? { kind: 'same', items: same } : { kind: 'changed', gone, added },
  );
}

/** Each with the white space behind it, so that nothing is lost between them. */
export const wordsOf = (text: string): readonly string[] => text.match(/\S+\s*|\s+/g) ?? [];

/** How many items, or characters, two sequences begin with alike. */
export function sharedPrefix<T>(left: ArrayLike<T>, right: ArrayLike<T>): number {
  const limit = Math.min(left.length, right.length);
  let count = 0;
  while (count < limit && left[count] === right[count]) count += 1;
  return count;
}
