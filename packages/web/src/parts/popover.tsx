import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

type PopoverProps = {
  readonly label: string;
  /** What its button shows. */
  readonly text: ComponentChildren;
  readonly kind: 'menu' | 'dialog';
  /** Further keys; answers whether it knows the key. */
  readonly onKey?: (key: string, box: HTMLElement) => boolean;
  readonly children: (close: () => void) => ComponentChildren;
};

const FIRST = '[role=menuitem], select, input, button';

/** A box below its button. Escape closes it and gives the focus back; a click elsewhere closes it, too. */
export function Popover({ label, text, kind, onKey, children }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    box.current?.querySelector<HTMLElement>('.menu-items')?.querySelector<HTMLElement>(FIRST)?.focus();
    const leave = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') close();
    else if (!onKey?.(event.key, event.currentTarget as HTMLElement)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" ref={box}>
      <button
        type="button"
        ref={button}
        aria-haspopup={kind}
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {text}
      </button>
      {isOpen && (
        <div
          class={isLeft(button.current) ? 'menu-items from-left' : 'menu-items'}
          {...{ role: kind, 'aria-label': label, tabIndex: -1, onKeyDown }}
        >
          {children(close)}
        </div>
      )}
    </div>
  );
}

const isLeft = (button: HTMLElement | null): boolean =>
  (button?.getBoundingClientRect().left ?? innerWidth) < innerWidth / 2;
