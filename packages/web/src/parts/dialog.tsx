import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ErrorBox } from './error-box.js';
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
  /** Where what has changed stands, as a selector; whoever confirmed goes on from there. What opened the dialog when absent. */
  readonly leadsTo?: string;
  /** Of the confirming button. */
  readonly testId?: string;
  readonly children: ComponentChildren;
};

/** Asks before something is changed. Nothing is sent before the confirming button is pressed, and then once. */
export function Dialog(props: DialogProps) {
  const { name, confirm = name, denied, onConfirm, onClose, leadsTo, testId, children } = props;
  const box = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const title = useId();
  const isDone = useRef(false);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    box.current?.showModal();
    // What removes the dialog may remove what opened it, too: what is there is known once all is removed.
    return () =>
      queueMicrotask(() => giveFocus(isDone.current && leadsTo ? document.querySelector(leadsTo) : opener));
  }, []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy || denied !== undefined) return;
    setBusy(true);
    setError(undefined);
    await onConfirm().then(() => {
      isDone.current = true;
      onClose();
    }, setError);
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

/** To the heading where the place is gone: who uses a keyboard goes on from there. Nothing is taken from what has the focus by then. */
function giveFocus(place: Element | null): void {
  if (document.activeElement !== document.body) return;
  const isThere = place?.isConnected && !place.matches(':disabled, body');
  const next = isThere ? (place as HTMLElement) : document.querySelector('h1');
  if (next && next.tabIndex < 0) next.tabIndex = -1;
  next?.focus();
}

type ReasonProps = {
  readonly value: string;
  readonly onInput: (reason: string) => void;
  readonly isRequired?: boolean;
};

const MOST = 512;

type FieldProps = {
  readonly name: string;
  readonly note?: string;
  readonly isWide?: boolean;
  readonly children: (id: string) => ComponentChildren;
};

/** A control under its name. The name is beside it and not around it: the options of a choice are no part of its name. */
export function Field({ name, note, isWide = false, children }: FieldProps) {
  const id = useId();
  return (
    <div class={isWide ? 'field wide' : 'field'}>
      <span>
        <label for={id}>{name}</label> {note !== undefined && <span class="muted">({note})</span>}
      </span>
      {children(id)}
    </div>
  );
}

/** Why, in a person's words. It is kept in the log and in the audit. */
export const Reason = ({ value, onInput, isRequired = false }: ReasonProps) => (
  <Field name="Reason" {...(!isRequired && { note: 'optional' })}>
    {(id) => (
      <textarea
        id={id}
        rows={2}
        maxLength={MOST}
        required={isRequired}
        data-testid="approval-reason"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    )}
  </Field>
);
