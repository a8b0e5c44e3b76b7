/** Letters in no order that repeats, the same every time: a pattern learns nothing from them that it could use again. */
export function lettersAandB(length: number): string {
  let state = 12_345;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return 'ab'[(state >> 16) % 2];
  }).join('');
}
