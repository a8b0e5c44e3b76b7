/** Numbers from 0 up to but not including 1. The same seed gives the same numbers on every machine. */
export function createRandom(seed: string): () => number {
  const next = createWords(seed);
  return () => (next() >>> 0) / 2 ** 32;
}

/** Whole numbers of 32 bits, with a sign; every bit is a coin of its own. */
export function createWords(seed: string): () => number {
  // sfc32: small, fast, and passes the usual batteries. Nothing secret depends on it.
  let [a, b, c] = [spread(seed, 1), spread(seed, 2), spread(seed, 3)];
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum;
  };
  // The first numbers still show how the state was filled.
  for (let skipped = 0; skipped < 12; skipped += 1) next();
  return next;
}

/** FNV-1a from a basis of its own per word, finished so that similar texts come out far apart. */
function spread(text: string, word: number): number {
  let hash = Math.imul(0x811c9dc5, 2 * word + 1);
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
