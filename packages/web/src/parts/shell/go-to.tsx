import { useEffect, useState } from 'preact/hooks';
import { useKeys } from '../keys.js';
import { GoToDialog } from './go-to-dialog.js';
import { GoToIcon } from './icons.js';

const isWanted = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey;

/** Leads to anything by its name. Ctrl+K, or ⌘K, works wherever the focus is, so it is no single key. */
export function GoTo() {
  const [isOpen, setOpen] = useState(false);
  // So that the list of keys has it.
  useKeys('everywhere', { 'Ctrl+K': () => setOpen(true) });
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (!isWanted(event) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', open);
    return () => document.removeEventListener('keydown', open);
  }, []);
  return (
    <>
      <button type="button" class="quiet" title="Ctrl+K" onClick={() => setOpen(true)}>
        <GoToIcon /> Go to
      </button>
      {isOpen && <GoToDialog onClose={() => setOpen(false)} />}
    </>
  );
}
