/** How a task went in the last runs, oldest first: a pass is a thin dash, a failure a tall block. */
const NAMES: { readonly [letter: string]: string } = {
  p: 'passed',
  f: 'failed',
  u: 'not scored',
  '-': 'absent',
};
const WIDTH = 7;
const DASH = 'h5v2h-5z';
const BLOCK = 'h4v12h-4z';
const RING = 'a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0';
const MARKS = [
  ['p', 'passed', 6, DASH],
  ['f', 'failed', 1, BLOCK],
  ['u', 'unscored', 7, RING],
] as const;

/** One shape for all passes, one for all failures: a list has many strips. */
export function Strip({ last }: { readonly last: string }) {
  const letters = [...last];
  const label = `Last runs, oldest first: ${letters.map((letter) => NAMES[letter]).join(', ')}`;
  const path = (wanted: string, y: number, shape: string): string =>
    letters.map((letter, at) => (letter === wanted ? `M${at * WIDTH + 1} ${y}${shape}` : '')).join('');
  return (
    <svg class="strip" width={letters.length * WIDTH} height={14} role="img" aria-label={label}>
      {MARKS.map(
        ([letter, name, y, shape]) =>
          last.includes(letter) && <path key={name} class={name} d={path(letter, y, shape)} />,
      )}
    </svg>
  );
}
