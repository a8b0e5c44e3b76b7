import { useLayoutEffect, useState } from 'preact/hooks';

// The address holds everything that a person can set, so that a link shows exactly the same.

export type Address = {
  readonly path: string;
  readonly query: URLSearchParams;
  /** What is looked for in contents. It stands behind the #, which no browser sends, so that no log has it. */
  readonly text: string;
};

/** A file has one address, so the page over it lives behind the #. */
let isInFragment = false;
/** The last address in a fragment: a link within the page, such as the one to its content, is none. */
let inFragment = '/';

function placeOf(): URL | Location {
  if (!isInFragment) return location;
  if (location.hash.startsWith('#/')) inFragment = location.hash.slice(1);
  return new URL(inFragment, 'http://file.invalid');
}

export function readAddress(): Address {
  const { pathname, search, hash } = placeOf();
  return {
    path: pathname.replace(/(.)\/+$/, '$1'),
    query: new URLSearchParams(search),
    text: new URLSearchParams(hash.slice(1)).get('text') ?? '',
  };
}

const listeners = new Set<() => void>();
const tell = (): void => {
  for (const listener of listeners) listener();
};
addEventListener('popstate', tell);

export function liveInFragment(): void {
  isInFragment = true;
}

let isMoved = false;
/** Whether the page has gone anywhere since the browser loaded it. */
export const hasNavigated = (): boolean => isMoved;

/** Goes to an address of this page. `replace` leaves no entry in the history. */
export function navigate(href: string, { replace = false } = {}): void {
  isMoved = true;
  const address = isInFragment ? `#${href}` : href;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  tell();
}

export function useAddress(): Address {
  const [address, set] = useState(readAddress);
  // Before anything else of the page can navigate.
  useLayoutEffect(() => {
    const listen = (): void => set(readAddress());
    listeners.add(listen);
    return () => void listeners.delete(listen);
  }, []);
  return address;
}

/** The address with some members of its query changed. Names that this page does not know are kept. */
export function withQuery(
  { path, query, text }: Address,
  changes: { readonly [name: string]: string | undefined },
): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  const search = next.toString();
  return `${path}${search === '' ? '' : `?${search}`}${fragmentOf(text)}`;
}

const fragmentOf = (text: string): string => (text === '' ? '' : `#${new URLSearchParams({ text })}`);

/** Follows links within the page without loading it again; others, and those opened in a new tab, are the browser's. */
export function followLinks(event: MouseEvent): void {
  const link = (event.target as Element).closest('a');
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || event.defaultPrevented || link.origin !== location.origin || link.target) return;
  event.preventDefault();
  navigate(link.pathname + link.search + link.hash);
}

/** The parts of a path that a pattern such as `/runs/:runId` names; undefined when it does not fit. */
export function match(pattern: string, path: string): { readonly [name: string]: string } | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const found: { [name: string]: string } = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? '';
    if (part.startsWith(':')) found[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return found;
}
