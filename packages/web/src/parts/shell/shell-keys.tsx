import { useState } from 'preact/hooks';
import { navigate } from '../../address.js';
import { useKeys } from '../keys.js';
import { KeysHelp, PLACE_KEYS } from './keys-help.js';
import '../../styles/keys.css';

/** The keys that work on every page, and the list of all keys. */
export function ShellKeys({ places }: { readonly places: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  const goes = Object.entries(PLACE_KEYS).filter(([, place]) => places.includes(place));
  useKeys({
    '?': () => setOpen(true),
    t: () => document.querySelector<HTMLElement>('[data-testid=theme]')?.click(),
    '/': () => document.querySelector<HTMLElement>('main input[type=search]')?.focus(),
    ...Object.fromEntries(goes.map(([keys, place]) => [keys, () => navigate(place)])),
  });
  return (
    <>
      <button type="button" class="quiet" title="?" onClick={() => setOpen(true)}>
        <span aria-hidden="true">⌨</span> Keys
      </button>
      {isOpen && <KeysHelp places={places} onClose={() => setOpen(false)} />}
    </>
  );
}
