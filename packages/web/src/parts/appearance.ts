import { useState } from 'preact/hooks';

// What survives a reload besides the address: how the page looks and which keys it listens to.

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** What people can choose, the usual first. */
const CHOICES = {
  theme: THEMES,
  density: ['normal', 'compact', 'roomy'],
  times: ['utc', 'local'],
  shortcuts: ['on', 'off'],
} as const;
export type Preference = keyof typeof CHOICES;
type Choice<P extends Preference> = (typeof CHOICES)[P][number];

/** A viewer of files that locks pages in lets them keep nothing; then every choice is the usual one. */
function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

export const kept = (name: string): string | null => storage()?.getItem(`touchstone.${name}`) ?? null;

/** Keeps a text in this browser; undefined forgets it. */
export function keep(name: string, text: string | undefined): void {
  if (text === undefined) storage()?.removeItem(`touchstone.${name}`);
  else storage()?.setItem(`touchstone.${name}`, text);
}

export const choicesOf = <P extends Preference>(name: P): readonly Choice<P>[] => CHOICES[name];

export function preference<P extends Preference>(name: P): Choice<P> {
  const chosen = kept(name);
  const choices: readonly Choice<P>[] = CHOICES[name];
  return choices.find((choice) => choice === chosen) ?? (choices[0] as Choice<P>);
}

export function applyTheme(theme: Theme = preference('theme')): void {
  document.documentElement.dataset.theme = theme;
  document.documentElement.dataset.density = preference('density');
}

export function usePreference<P extends Preference>(
  name: P,
): readonly [Choice<P>, (next: Choice<P>) => void] {
  const [chosen, setChosen] = useState(() => preference(name));
  const choose = (next: Choice<P>): void => {
    keep(name, next);
    applyTheme();
    setChosen(next);
  };
  return [chosen, choose];
}

export const useTheme = (): readonly [Theme, (theme: Theme) => void] => usePreference('theme');

const ROW_HEIGHTS = { compact: 28, normal: 32, roomy: 40 } as const;
/** Of the rows of all grids, in pixels. */
export const rowHeight = (): number => ROW_HEIGHTS[preference('density')];

/** Whether keys without Ctrl or ⌘ do anything. */
export const hasShortcuts = (): boolean => preference('shortcuts') === 'on';

/** A moment to the second, in the time zone that was chosen. */
export function exactTime(at: string): string {
  if (preference('times') === 'utc') return at.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC');
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
}
