import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { hasShortcuts } from './appearance.js';
import type { KeyGroup, KeyOf } from './shell/key-table.js';

// Keys of the whole page, in one place: a key means one thing at a time. What they do in words is in shell/key-table.ts.

/** What keys do; one that is undefined does nothing now. */
export type KeyMap<Group extends KeyGroup> = { readonly [key in KeyOf<Group>]?: (() => void) | undefined };

/** Whether a key is left to the browser or to what has the focus. */
const isLeftAlone = (event: KeyboardEvent): boolean =>
  event.defaultPrevented ||
  event.altKey ||
  (event.key.length === 1 && !hasShortcuts()) ||
  isTyping(event) ||
  document.querySelector('dialog[open]') !== null;

const TYPED_IN = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]';

/** In a text field every key but Escape is text; Enter on a button or a link is a click. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element) || key === 'Escape') return false;
  return (
    target.closest(TYPED_IN) !== null || (key === 'Enter' && target.closest('a, button, summary') !== null)
  );
}

type KeyHolder = {
  readonly group: KeyGroup;
  readonly keys: { readonly current: { readonly [key: string]: (() => void) | undefined } };
  /** What has to have the focus; absent when nothing has to. */
  readonly within?: RefObject<HTMLElement | null> | undefined;
};

/** Those of the newest part first: what is on top has the keys. */
const holders: KeyHolder[] = [];
let prefix = '';

function onKeyDown(event: KeyboardEvent): void {
  const name = event.ctrlKey || event.metaKey ? `Ctrl+${event.key}` : event.key;
  const keys = prefix + name;
  const isSecond = prefix !== '';
  prefix = '';
  if (isLeftAlone(event)) return;
  const found = holders.findLast(
    ({ keys: { current }, within }) => current[keys] && (!within || within.current === event.target),
  );
  const isPrefix = !isSecond && holders.some(({ keys: { current } }) => hasLonger(current, keys));
  if (!found && !isPrefix) return;
  event.preventDefault();
  if (found) found.keys.current[keys]?.();
  else prefix = `${keys} `;
}

const hasLonger = (map: object, start: string): boolean =>
  Object.keys(map).some((keys) => keys.startsWith(`${start} `));

/** Gives keys to a part of the page while it is shown; to the part that has the focus, where one is named. */
export function useKeys<Group extends KeyGroup>(
  group: Group,
  map: KeyMap<Group>,
  within?: RefObject<HTMLElement | null>,
): void {
  const keys = useRef(map);
  keys.current = map;
  // Before the next key can come.
  useLayoutEffect(() => {
    const one: KeyHolder = { group, keys, within };
    if (holders.length === 0) document.addEventListener('keydown', onKeyDown);
    holders.push(one);
    return () => {
      holders.splice(holders.indexOf(one), 1);
      if (holders.length === 0) document.removeEventListener('keydown', onKeyDown);
    };
  }, []);
}

/** The keys of a group that do something now. */
export const keysInUse = (group: KeyGroup): ReadonlySet<string> =>
  new Set(
    holders
      .filter((one) => one.group === group)
      .flatMap(({ keys: { current } }) => Object.keys(current).filter((key) => current[key])),
  );
