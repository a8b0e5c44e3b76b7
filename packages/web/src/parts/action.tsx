import type { ComponentChildren } from 'preact';

type ActionProps = {
  readonly name: string;
  /** Why it does not work; it is shown all the same, so that people know what there is. */
  readonly denied?: string | undefined;
  readonly onClick: () => void;
  readonly testId?: string | undefined;
  readonly kind?: 'primary' | 'quiet' | undefined;
  readonly children?: ComponentChildren;
};

/** A button for something that changes things. One that does not work says why. */
export const Action = ({ name, denied, onClick, testId, kind, children }: ActionProps) => (
  <button
    type="button"
    class={kind}
    disabled={denied !== undefined}
    title={denied}
    data-testid={testId}
    onClick={onClick}
  >
    {children ?? name}
  </button>
);
