/**
 * Finds out whether a name may occur twice among very many, in eight bytes for each: of a name, a number of 53 bits is kept.
 * Different names share one about once in ten thousand suites of a million, so a repeated number is a reason to look closer.
 */
export function createRepeatedIds() {
  const seen: number[] = [];
  return {
    add: (name: string): void => void seen.push(numberOf(name)),
    mayRepeat(): boolean {
      const sorted = Float64Array.from(seen).sort();
      return sorted.some((number, at) => at > 0 && number === sorted[at - 1]);
    },
  };
}

const HIGH_BITS = 2 ** 21;

/** Two hashes after Fowler, Noll and Vo, with different primes; the upper bits of the second one are the better ones. */
function numberOf(name: string): number {
  let [one, other] = [0x811c9dc5, 0x1b873593];
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
  }
  return (one >>> 0) * HIGH_BITS + (other >>> 11);
}
