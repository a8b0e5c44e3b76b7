import type { Annotation } from '@touchstone/sdk';
import { markHidden } from '@touchstone/sdk/view';
import { useState } from 'preact/hooks';
import { may, missingScope } from '../../access.js';
import { client, IN_FILE } from '../../source.js';
import { ErrorBox } from '../error-box.js';
import { Section } from '../section.js';
import { useSession } from '../shell/session-context.js';
import { When } from '../when.js';

type RemarksProps = {
  readonly runId: string;
  readonly taskId: string;
  readonly remarks: readonly Annotation[];
  readonly onChange: () => void;
};

/** What people said about a task. It stands beside the log, and changes nothing in it. */
export const Remarks = ({ runId, taskId, remarks, onChange }: RemarksProps) => (
  <Section name="Remarks">
    {remarks.length > 0 && (
      <ul class="remarks">
        {remarks.map((remark) => (
          <li key={remark.annotationId} data-testid="remark">
            <span class="strong">{remark.actor.principalRef}</span>{' '}
            <span class="muted">
              {wordOf(remark)}
              <When at={remark.createdAt} />
            </span>
            {remark.note !== undefined && <p>{markHidden(remark.note)}</p>}
          </li>
        ))}
      </ul>
    )}
    {!IN_FILE && <NewRemark runId={runId} taskId={taskId} onChange={onChange} />}
  </Section>
);

/** What kind of remark it is, when it is more than words; the time follows. */
function wordOf({ signal }: Annotation): string {
  if (signal.kind === 'flag') return 'flagged it, ';
  if (signal.kind === 'rating') return `gave it ${signal.rating} of 5, `;
  if (signal.kind === 'correction') return `corrected ${correctionOf(signal.correction)}, `;
  return signal.label === REMARK ? '' : `${markHidden(signal.label)}, `;
}

/** A score is corrected by an object; anything else is what the answer should have been. */
function correctionOf(correction: string): string {
  const [, score] = /^\{"score":([\d.]+)\}$/.exec(correction) ?? [];
  return score === undefined ? `it: ${markHidden(correction)}` : `the score to ${score}`;
}

/** The label of a remark that is words alone. */
const REMARK = 'remark';

function NewRemark({ runId, taskId, onChange }: Omit<RemarksProps, 'remarks'>) {
  const [note, setNote] = useState('');
  const [error, setError] = useState<unknown>();
  const session = useSession();
  const denied = may(session, 'runs:create') ? undefined : missingScope(session, 'runs:annotate');
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    const isFlag = (event as SubmitEvent).submitter?.getAttribute('value') === 'flag';
    const signal = isFlag ? ({ kind: 'flag' } as const) : ({ kind: 'label', label: REMARK } as const);
    const remark = { target: { nodeId: taskId }, signal, ...(note.trim() !== '' && { note }) };
    await client.runs.annotate(runId as never, remark).then(() => {
      setNote('');
      setError(undefined);
      onChange();
    }, setError);
  };
  return (
    <form class="new-remark" onSubmit={add}>
      <textarea
        rows={2}
        maxLength={8_192}
        aria-label="New remark"
        placeholder="What should others know about this task?"
        disabled={denied !== undefined}
        title={denied}
        value={note}
        onInput={(event) => setNote(event.currentTarget.value)}
      />
      <div class="new-remark-end">
        {denied !== undefined && <span class="note">{denied}</span>}
        <button type="submit" value="flag" disabled={denied !== undefined}>
          Flag
        </button>
        <button type="submit" value="remark" disabled={denied !== undefined || note.trim() === ''}>
          Add remark
        </button>
      </div>
      {error !== undefined && <ErrorBox error={error} />}
    </form>
  );
}
