/** Longer texts are shown beside each other: comparing them word by word would take too long, and help nobody. */
const MOST_WORDS = 1500;

/** Words, and what stands between them. */
const wordsOf = (text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** What to take away from one text and add to it to have the other; undefined when they are too long to compare. */
export function diffTexts(before, after) {
  const [one, other] = [wordsOf(before), wordsOf(after)];
  if (one.length > MOST_WORDS || other.length > MOST_WORDS) return undefined;
  return joined(walk(one, other, commonLengths(one, other)));
}

/** How many words the rests of both texts share, from each pair of places on. */
function commonLengths(one, other) {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        one[i] === other[j]
          ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
  return { at: (i, j) => lengths[i * width + j] };
}

function walk(one, other, lengths) {
  const parts = [];
  let [i, j] = [0, 0];
  while (i < one.length && j < other.length) {
    if (one[i] === other[j]) {
      parts.push({ kind: 'same', text: one[i] });
      i++;
      j++;
    } else if (lengths.at(i + 1, j) >= lengths.at(i, j + 1)) parts.push({ kind: 'gone', text: one[i++] });
    else parts.push({ kind: 'new', text: other[j++] });
  }
  for (const text of one.slice(i)) parts.push({ kind: 'gone', text });
  for (const text of other.slice(j)) parts.push({ kind: 'new', text });
  return parts;
}

/** Neighbours of one kind are one part. */
function joined(parts) {
  const all = [];
  for (const { kind, text } of parts) {
    const last = all.at(-1);
    if (last?.kind === kind) last.text += text;
    else all.push({ kind, text });
  }
  return all;
}
