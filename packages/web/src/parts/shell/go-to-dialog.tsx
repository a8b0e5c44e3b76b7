import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { lazy } from '../../lazy.js';
import '../../styles/go-to.css';

const FoundGoals = lazy(async () => (await import('./found-goals.js')).FoundGoals, <span />);

/** Leads to what has a name, and to what can be done on the page. Arrows move, Enter goes. */
export function GoToDialog({ onClose }: { readonly onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  // Before the next key can come: it is a letter of the name, and no key of the page.
  useLayoutEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} class="go-to" aria-label="Go to" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          linksIn(box.current)[0]?.click();
        }}
        onKeyDown={(event) => moveFocus(event, box.current)}
      >
        <input
          // In a field of the type search the first Escape would only empty it.
          type="text"
          aria-label="Name of a run, suite, agent or task"
          placeholder="Run, suite, agent, task or action"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <FoundGoals name={typed.trim()} onDone={() => box.current?.close()} />
      </form>
    </dialog>
  );
}

const linksIn = (box: HTMLElement | null): readonly HTMLElement[] => [
  ...(box?.querySelectorAll<HTMLElement>('.goal') ?? []),
];

function moveFocus(event: KeyboardEvent, box: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const all = [box?.querySelector('input') as HTMLElement, ...linksIn(box)];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[(at + step + all.length) % all.length]?.focus();
}
