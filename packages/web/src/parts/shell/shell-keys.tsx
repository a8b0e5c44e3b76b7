import { useState } from 'preact/hooks';
import { navigate } from '../../address.js';
import { KeysHelp } from '../../lazy-parts.js';
import { type KeyMap, useKeys } from '../keys.js';
import { LINK_KEYS } from './host-keys.js';
import { KeysIcon } from './icons.js';
import '../../styles/keys.css';

/** The keys of the links that there are. */
const keysTo = (hrefs: readonly string[]): KeyMap<'everywhere'> =>
  Object.fromEntries(
    Object.entries(LINK_KEYS)
      .filter(([, href]) => hrefs.includes(href))
      .map(([keys, href]) => [keys, () => navigate(href)]),
  );

/** The keys that work on every page, and the list of all keys. */
export function ShellKeys({ hrefs }: { readonly hrefs: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  useKeys('everywhere', {
    '?': () => setOpen(true),
    t: () => document.querySelector<HTMLElement>('[data-testid=theme]')?.click(),
    ...keysTo(hrefs),
  });
  return (
    <>
      <button type="button" class="quiet" title="?" onClick={() => setOpen(true)}>
        <KeysIcon /> Keys
      </button>
      {isOpen && <KeysHelp onClose={() => setOpen(false)} />}
    </>
  );
}
