import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ErrorBox } from './states.js';
import '../styles/dialog.css';

type DialogProps = {
  /** The name of the button that opens it. */
  readonly name: string;
  /** What the confirming button says; as the dialog when absent. */
  readonly confirm?: string;
  /** Why it cannot be confirmed. */
  readonly denied?: string | undefined;
  /** Does it; the dialog closes when that is done, and stays with the error otherwise. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  /** Of the confirming button. */
  readonly testId?: string;
  readonly children: ComponentChildren;
};

/** Asks before something is changed. Nothing is sent before the confirming button is pressed, and then once. */
export function Dialog({ name, confirm = name, denied, onConfirm, onClose, testId, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const title = useId();
  useEffect(() => box.current?.showModal(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy || denied !== undefined) return;
    setBusy(true);
    setError(undefined);
    await onConfirm().then(onClose, setError);
    setBusy(false);
  };
  return (
    <dialog ref={box} aria-labelledby={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id={title}>{name}</h2>
        {children}
        {error !== undefined && <ErrorBox error={error} />}
        <div class="dialog-end">
          {denied !== undefined && <p class="note">{denied}</p>}
          <button type="button" class="quiet" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class="primary"
            data-testid={testId}
            disabled={isBusy || denied !== undefined}
          >
            {confirm}
          </button>
        </div>
      </form>
    </dialog>
  );
}
