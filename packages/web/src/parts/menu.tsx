import { useEffect, useRef, useState } from 'preact/hooks';

export type MenuItem = {
  readonly name: string;
  readonly onChoose: () => void;
  /** Why it does not work. */
  readonly denied?: string | undefined;
  readonly testId?: string;
  /** Begins a new group. */
  readonly isApart?: boolean;
};

type MenuProps = {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** What its button shows. */
  readonly text?: string;
};

/** Further things to do. Arrows move, Escape closes and gives the focus back. */
export function Menu({ label, items, text = '⋯' }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const buttons = (): readonly HTMLElement[] => [
    ...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
  ];
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    buttons()[0]?.focus();
    const leave = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, [isOpen]);
  const onKey = (event: KeyboardEvent): void => {
    const all = buttons();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') close();
    else if (step !== undefined) {
      const at = all.indexOf(document.activeElement as HTMLElement);
      all[(at + step + all.length) % all.length]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" ref={box}>
      <button
        type="button"
        ref={button}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {text}
      </button>
      {isOpen && (
        <div class="menu-items" role="menu" aria-label={label} tabIndex={-1} onKeyDown={onKey}>
          {items.map(({ name, onChoose, denied, testId, isApart }) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={isApart ? 'apart' : undefined}
              data-testid={testId}
              aria-disabled={denied !== undefined}
              title={denied}
              onClick={() => {
                if (denied !== undefined) return;
                close();
                onChoose();
              }}
            >
              {name}
              {denied !== undefined && <span class="denied"> {denied}</span>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
