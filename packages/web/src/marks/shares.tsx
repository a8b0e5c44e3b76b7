import type { BoardChannel } from '@touchstone/protocol';

const WIDTH = 160;
const HEIGHT = 10;

/** Who gets which part of a channel's runs, as one bar; the newest version first. */
export function SharesMark({ channel: { name, line } }: { readonly channel: BoardChannel }) {
  let from = 0;
  const parts = line.map(({ version, percent }) => {
    const part = { version, x: from, width: (percent / 100) * WIDTH };
    from += part.width;
    return part;
  });
  return (
    <svg
      class="shares"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={sentenceOf(name, line)}
    >
      <rect class="none" width={WIDTH} height={HEIGHT} rx={2} />
      {parts.map(({ version, x, width }, at) => (
        <rect
          key={version}
          class={`part-${Math.min(at, 2)}`}
          x={x}
          width={Math.max(0, width - (at < parts.length - 1 ? 1.5 : 0))}
          height={HEIGHT}
          rx={2}
        />
      ))}
    </svg>
  );
}

export const percentText = (percent: number): string => `${percent} %`;

const sentenceOf = (name: string, line: BoardChannel['line']): string =>
  line.length === 0
    ? `Nothing serves on ${name}.`
    : `${name}: ${line.map(({ version, percent }) => `${version} ${percentText(percent)}`).join(', ')}.`;
