import type { JSX } from 'preact';

export type TaskOutcome = 'passed' | 'failed' | 'unscored';

/** Shape decides first, colour second: a thin tick, a filled square with a cross, a dashed ring. */
const SHAPES: { readonly [outcome in TaskOutcome]: JSX.Element } = {
  passed: <path class="tick" d="M3 8.5 6.5 12 13 4.5" />,
  failed: (
    <>
      <rect class="square" x="1.5" y="1.5" width="13" height="13" rx="1.5" />
      <path class="cross" d="M5 5 11 11 M11 5 5 11" />
    </>
  ),
  unscored: <circle class="ring" cx="8" cy="8" r="6" />,
};
const NAMES: { readonly [outcome in TaskOutcome]: string } = {
  passed: 'passed',
  failed: 'failed',
  unscored: 'not scored',
};

export const Glyph = ({ outcome }: { readonly outcome: TaskOutcome }) => (
  <svg class={`glyph ${outcome}`} viewBox="0 0 16 16" role="img" aria-label={NAMES[outcome]}>
    {SHAPES[outcome]}
  </svg>
);

/** The glyph beside its word, which says it already. */
export const Shape = ({ outcome }: { readonly outcome: TaskOutcome }) => (
  <svg class={`glyph ${outcome}`} viewBox="0 0 16 16" aria-hidden="true">
    {SHAPES[outcome]}
  </svg>
);

/** Of tasks that changed sides, beside the word. */
export const Arrow = ({ isUp }: { readonly isUp: boolean }) => (
  <svg class="glyph arrow" viewBox="0 0 16 16" aria-hidden="true">
    <path d={isUp ? 'M8 14V2.5M3.5 7 8 2.5 12.5 7' : 'M8 2v11.5M3.5 9 8 13.5 12.5 9'} />
  </svg>
);

export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <path class="stone" d="M15 2 26 6l4 11-6 10-13 3-8-9 1-13z" />
    <path class="streak" d="M8 23 24 9" />
  </svg>
);
