import { useEffect, useRef } from 'preact/hooks';

/** What a key does. */
type KeyMap = { readonly [key: string]: () => void };

const TYPED_IN =
  'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable], dialog *';

/** Whether a key is left to the browser or to what has the focus. */
const isLeftAlone = ({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean =>
  defaultPrevented ||
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof Element && target.closest(TYPED_IN) !== null);

/** Gives keys to a part of the page while it is shown. */
export function useKeys(map: KeyMap): void {
  const latest = useRef(map);
  latest.current = map;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const act = isLeftAlone(event) ? undefined : latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
