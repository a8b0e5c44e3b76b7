/**
 * Whether a text fits a pattern in which `*` stands for any characters and `?` for one. A regular expression made of many
 * stars would try every way to share the text out among them; this takes the length of one times that of the other.
 */
export function fitsWildcards(pattern: string, text: string): boolean {
  let [at, from] = [0, 0];
  // Where the last star stands, and how far into the text it reaches.
  let [star, reach] = [-1, 0];
  while (from < text.length) {
    if (pattern[at] === '*') {
      [star, reach] = [at, from];
      at += 1;
    } else if (pattern[at] === '?' || pattern[at] === text[from]) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      reach += 1;
      [at, from] = [star + 1, reach];
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
