import { useState } from 'preact/hooks';

// What survives a reload besides the address: how the page looks.

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
const KEY = 'touchstone.theme';

const readTheme = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';

export function applyTheme(theme = readTheme()): void {
  document.documentElement.dataset.theme = theme;
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(readTheme);
  const choose = (next: Theme): void => {
    localStorage.setItem(KEY, next);
    applyTheme(next);
    setTheme(next);
  };
  return [theme, choose];
}
