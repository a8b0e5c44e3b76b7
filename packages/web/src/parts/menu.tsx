import { Popover } from './popover.js';

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

/** Further things to do. Arrows move. */
export const Menu = ({ label, items, text = '⋯' }: MenuProps) => (
  <Popover label={label} text={text} kind="menu" onKey={moveFocus}>
    {(close) =>
      items.map(({ name, onChoose, denied, testId, isApart }) => (
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
      ))
    }
  </Popover>
);

function moveFocus(key: string, box: HTMLElement): boolean {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined) return false;
  const all = [...box.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[(at + step + all.length) % all.length]?.focus();
  return true;
}
