import { useState } from 'preact/hooks';
import { navigate } from '../../address.js';
import { KeysHelp } from '../../lazy-parts.js';
import { type KeyMap, useKeys } from '../keys.js';
import { PLACE_KEYS } from './host-keys.js';
import { KeysIcon } from './icons.js';
import '../../styles/keys.css';

/** The keys that lead to places that there are. */
const keysTo = (places: readonly string[]): KeyMap<'everywhere'> =>
  Object.fromEntries(
    Object.entries(PLACE_KEYS)
      .filter(([, place]) => places.includes(place))
      .map(([keys, place]) => [keys, () => navigate(place)]),
  );

/** The keys that work on every page, and the list of all keys. */
export function ShellKeys({ places }: { readonly places: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  useKeys('everywhere', {
    '?': () => setOpen(true),
    t: () => document.querySelector<HTMLElement>('[data-testid=theme]')?.click(),
    ...keysTo(places),
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
