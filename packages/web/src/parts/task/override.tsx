import type { TaskListing } from '@touchstone/protocol';
import { score } from '@touchstone/sdk/view';
import { useEffect, useRef, useState } from 'preact/hooks';
import { missingScope } from '../../access.js';
import { client } from '../../source.js';
import { Action } from '../action.js';
import { Dialog, Field } from '../dialog.js';
import { useKeys } from '../keys.js';
import { useSession } from '../shell/session-context.js';

type OverrideProps = {
  readonly runId: string;
  readonly listing: TaskListing;
  readonly onChange: () => void;
};

const SCOPE = 'evals:override';

/** Both results of a task: what was measured, and what a person says it should have been. Who has just said it is led here. */
export function Adjusted({ listing, isNew }: { readonly listing: TaskListing; readonly isNew: boolean }) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (isNew) line.current?.focus();
  }, [isNew, JSON.stringify(listing.override)]);
  if (!listing.override) return null;
  return (
    <p ref={line} tabIndex={-1} class="adjusted" data-testid="adjusted" data-value={listing.override.score}>
      <span class="muted">Measured</span> {listing.unscored === undefined ? score(listing.score) : '–'}
      <span aria-hidden="true"> → </span>
      <span class="muted">corrected</span> <span class="strong">{score(listing.override.score)}</span>{' '}
      <span class={listing.override.passed ? 'better' : 'worse'}>
        {listing.override.passed ? 'passes' : 'fails'}
      </span>{' '}
      <span class="muted">by {listing.override.by}; the log keeps what was measured</span>
    </p>
  );
}

/** Lets people say what a score should be. It is kept beside the log, with their name and their reason. */
export function Override({ runId, listing, onChange }: OverrideProps) {
  const [isOpen, setOpen] = useState(false);
  const missing = missingScope(useSession(), SCOPE);
  const denied =
    missing ?? (listing.scored === undefined ? 'The log does not have the score yet.' : undefined);
  useKeys('task', { o: denied === undefined ? () => setOpen(true) : undefined });
  return (
    <>
      <Action name="Override" denied={denied} testId="override-open" onClick={() => setOpen(true)}>
        Override{' '}
        <span class="kbd" aria-hidden="true">
          o
        </span>
      </Action>
      {denied !== undefined && <span class="muted">{denied}</span>}
      {isOpen && (
        <OverrideDialog runId={runId} listing={listing} onChange={onChange} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function OverrideDialog({
  runId,
  listing,
  onChange,
  onClose,
}: OverrideProps & { readonly onClose: () => void }) {
  const [value, setValue] = useState('');
  const [reason, setReason] = useState('');
  const number = Number(value);
  const isRight = value.trim() !== '' && number >= 0 && number <= 1;
  const denied = isRight
    ? reason.trim() === ''
      ? 'An override needs a reason.'
      : undefined
    : 'Expected a score from 0 to 1.';
  const save = async (): Promise<void> => {
    await client.runs.annotate(runId as never, {
      target: { eventId: listing.scored as never },
      signal: { kind: 'correction', correction: JSON.stringify({ score: number }) },
      note: reason,
    });
    onChange();
  };
  return (
    <Dialog name="Override" testId="override-save" denied={denied} onConfirm={save} onClose={onClose}>
      <p>
        {listing.taskId}: measured {listing.unscored === undefined ? score(listing.score) : listing.unscored}.
        Both results are shown from then on. The log and the score of the run stay as they are; the report
        says what the corrected score would be.
      </p>
      <Field name="Score">
        {(id) => (
          <input
            id={id}
            type="number"
            min={0}
            max={1}
            step="any"
            data-testid="override-value"
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field name="Reason">
        {(id) => (
          <textarea
            id={id}
            rows={3}
            maxLength={8_192}
            data-testid="override-reason"
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}
