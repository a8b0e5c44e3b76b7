import { useLayoutEffect, useRef } from 'preact/hooks';
import { hasShortcuts } from './appearance.js';

// Keys of the whole page, in one place: a key means one thing at a time. Arrows and the like stay where they belong.

/** What a key does; `g r` is `g` and then `r`. */
export type KeyMap = { readonly [keys: string]: () => void };

/** Whether a key is left to the browser or to what has the focus. */
export const isLeftAlone = (event: KeyboardEvent): boolean =>
  event.defaultPrevented ||
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  (event.key.length === 1 && !hasShortcuts()) ||
  isTyping(event) ||
  document.querySelector('dialog[open]') !== null;

const TYPED_IN = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]';

/** In a text field every key is text; Enter on a button or a link is a click. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  return (
    target.closest(TYPED_IN) !== null || (key === 'Enter' && target.closest('a, button, summary') !== null)
  );
}

/** Those of the newest part first: what is on top has the keys. */
const maps: { readonly current: KeyMap }[] = [];
let prefix = '';

/** Whether the next key belongs to the one before, whatever has the focus. */
export const isSecondKey = (): boolean => prefix !== '';

function onKeyDown(event: KeyboardEvent): void {
  const keys = prefix + event.key;
  prefix = '';
  if (isLeftAlone(event)) return;
  const found = maps.findLast(({ current }) => current[keys]);
  const isPrefix = keys.length === 1 && maps.some(({ current }) => hasLonger(current, keys));
  if (!found && !isPrefix) return;
  event.preventDefault();
  if (found) found.current[keys]?.();
  else prefix = `${keys} `;
}

const hasLonger = (map: KeyMap, start: string): boolean =>
  Object.keys(map).some((keys) => keys.startsWith(`${start} `));

/** Gives keys to a part of the page while it is shown. */
export function useKeys(map: KeyMap): void {
  const latest = useRef(map);
  latest.current = map;
  // Before the next key can come.
  useLayoutEffect(() => {
    if (maps.length === 0) document.addEventListener('keydown', onKeyDown);
    maps.push(latest);
    return () => {
      maps.splice(maps.indexOf(latest), 1);
      if (maps.length === 0) document.removeEventListener('keydown', onKeyDown);
    };
  }, []);
}
