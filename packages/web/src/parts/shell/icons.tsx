import type { ComponentChildren } from 'preact';

// Drawn, not written: some systems show characters like these as coloured pictures.

const Icon = ({ children }: { readonly children: ComponentChildren }) => (
  <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
    {children}
  </svg>
);

export const KeysIcon = () => (
  <Icon>
    <rect x="1.5" y="4" width="13" height="8.5" rx="1.5" />
    <path d="M4 6.8h1m2.5 0h1m2.5 0h1M5 9.8h6" />
  </Icon>
);

export const ThemeIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="5.5" />
    <path class="filled" d="M8 2.5a5.5 5.5 0 0 1 0 11z" />
  </Icon>
);

export const GoToIcon = () => (
  <Icon>
    <path d="M2 8h11M9 4l4 4-4 4" />
  </Icon>
);
