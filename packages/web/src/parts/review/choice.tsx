type ChoiceProps = {
  readonly name: string;
  readonly hotkey: string;
  /** Absent for what is done and not chosen. */
  readonly isOn?: boolean;
  /** Absent while it makes no sense. */
  readonly onChoose: (() => void) | undefined;
  /** Why this person may not. */
  readonly denied?: string | undefined;
  readonly testId?: string;
};

/** A button for a key. The mouse does not take the focus with it, so that Enter still saves. */
export const Choice = ({ name, hotkey, isOn, onChoose, denied, testId }: ChoiceProps) => (
  <button
    type="button"
    class={`choice choice-${name.toLowerCase().replaceAll(' ', '-')}`}
    title={denied ?? hotkey}
    aria-pressed={isOn}
    disabled={denied !== undefined || onChoose === undefined}
    data-testid={testId}
    onMouseDown={(event) => event.preventDefault()}
    onClick={onChoose}
  >
    {name}{' '}
    <span class="kbd" aria-hidden="true">
      {hotkey}
    </span>
  </button>
);
