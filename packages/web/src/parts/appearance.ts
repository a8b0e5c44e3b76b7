import { useEffect, useState } from 'preact/hooks';

// What survives a reload besides the address: how the page looks.

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
const KEY = 'touchstone.theme';

const readTheme = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';

export function applyTheme(theme = readTheme()): void {
  document.documentElement.dataset.theme = theme;
}

const listeners = new Set<(theme: Theme) => void>();

function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme(theme);
  for (const listener of listeners) listener(theme);
}

export function nextTheme(): void {
  chooseTheme(THEMES[(THEMES.indexOf(readTheme()) + 1) % THEMES.length] ?? 'system');
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(readTheme);
  useEffect(() => {
    listeners.add(setTheme);
    return () => void listeners.delete(setTheme);
  }, []);
  return [theme, chooseTheme];
}
