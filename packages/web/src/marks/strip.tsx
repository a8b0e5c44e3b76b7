/** How a task went in the last runs, oldest first: a pass is a thin dash, a failure a tall block. */
const NAMES: { readonly [letter: string]: string } = {
  p: 'passed',
  f: 'failed',
  u: 'not scored',
  '-': 'absent',
};
const WIDTH = 7;

export function Strip({ last }: { readonly last: string }) {
  const letters = [...last];
  const label = `Last runs, oldest first: ${letters.map((letter) => NAMES[letter]).join(', ')}`;
  return (
    <svg class="strip" width={letters.length * WIDTH} height={14} role="img" aria-label={label}>
      {letters.map((letter, at) => {
        const x = at * WIDTH + 1;
        const key = `${at}${letter}`;
        if (letter === 'f') return <rect key={key} class="failed" x={x} y={1} width={4} height={12} />;
        if (letter === 'p') return <rect key={key} class="passed" x={x} y={6} width={5} height={2} />;
        if (letter === 'u') return <circle key={key} class="unscored" cx={x + 2.5} cy={7} r={2.5} />;
        return null;
      })}
    </svg>
  );
}
