import type { ReviewItem } from '@touchstone/protocol';
import { type Draft, subjectOf } from '../../review-draft.js';
import { ErrorBox } from '../error-box.js';
import type { KeyMap } from '../keys.js';
import { Choice } from './choice.js';
import { leaveOnEnter } from './leave-on-enter.js';
import { OverrideFields } from './override-fields.js';
import type { Saving } from './use-saving.js';

/** Why a control does not work for this person; undefined when it does. */
export type Denied = { readonly override: string | undefined; readonly save: string | undefined };

type DecisionPanelProps = {
  readonly item: ReviewItem;
  readonly draft: Draft;
  /** The event of the answer that is decided about; absent when there is none. */
  readonly answer: string | undefined;
  readonly judged: ReviewItem['criteria'];
  readonly sentences: readonly string[];
  /** The criterion that `m` and `u` are about. */
  readonly place: number;
  readonly keys: KeyMap<'review'>;
  readonly saving: Saving;
  readonly denied: Denied;
  readonly change: (next: (draft: Draft) => Draft) => void;
  readonly onPlace: (place: number) => void;
  readonly onSay: (place: number, verdict: 'met' | 'unmet') => void;
};

/** Everything that a person can say about an answer. Each key has a button. */
export function DecisionPanel(props: DecisionPanelProps) {
  const { draft, answer, keys, saving, change, denied } = props;
  const side = draft.labels[subjectOf(answer)]?.verdict;
  return (
    <div class="decision">
      <Criteria {...props} />
      <fieldset class="choices" aria-label="The answer as a whole">
        <Choice name="Pass" hotkey="p" denied={denied.save} isOn={side === 'pass'} onChoose={keys.p} />
        <Choice name="Fail" hotkey="x" denied={denied.save} isOn={side === 'fail'} onChoose={keys.x} />
        <Choice name="Flag" hotkey="f" denied={denied.save} isOn={draft.isFlagged} onChoose={keys.f} />
        <Choice
          name="Override"
          hotkey="o"
          isOn={draft.override !== undefined}
          onChoose={keys.o}
          denied={denied.save ?? denied.override}
          testId="override-open"
        />
      </fieldset>
      {draft.override && <OverrideFields override={draft.override} change={change} />}
      <label class="note-field">
        <span class="muted">
          Note <kbd>n</kbd>
        </span>
        <input
          type="text"
          data-testid="review-note"
          value={draft.note}
          disabled={denied.save !== undefined}
          maxLength={8000}
          onInput={(event) => {
            const note = event.currentTarget.value;
            change((old) => ({ ...old, note }));
          }}
          onKeyDown={leaveOnEnter}
        />
      </label>
      {saving.trouble !== undefined && (
        <p class="note" role="alert">
          {saving.trouble}
        </p>
      )}
      {saving.error !== undefined && <ErrorBox error={saving.error} onRetry={saving.save} />}
      {denied.save !== undefined && <p class="note">{denied.save}</p>}
      <div class="choices decision-end">
        <button
          type="button"
          class="primary"
          disabled={denied.save !== undefined || saving.isSaving}
          onClick={saving.save}
        >
          Save and next <kbd>Enter</kbd>
        </button>
        <Choice name="Skip" hotkey="s" onChoose={keys.s} />
        <Choice name="Back" hotkey="[" onChoose={keys['[']} />
        <Choice name="Show the judge" hotkey="v" isOn={draft.isSeen} onChoose={keys.v} />
      </div>
    </div>
  );
}

function Criteria(props: DecisionPanelProps) {
  const { item, draft, answer, judged, sentences, place, denied, onPlace, onSay } = props;
  if (judged.length === 0) return null;
  const checks = item.criteria.length - judged.length;
  return (
    <>
      <ol class="review-criteria">
        {judged.map((criterion, at) => {
          const verdict = draft.labels[subjectOf(answer, criterion.id)]?.verdict ?? 'open';
          const sentence = sentences[item.criteria.indexOf(criterion)] ?? criterion.id;
          return (
            <li
              key={criterion.id}
              data-testid="review-criterion"
              data-criterion={criterion.id}
              data-state={verdict}
              aria-current={at === place ? 'true' : undefined}
            >
              <button
                type="button"
                class="sentence-button"
                title={String(at + 1)}
                onClick={() => onPlace(at)}
              >
                <kbd>{at + 1}</kbd> {sentence}
              </button>
              <fieldset class="choices" aria-label={`Criterion ${at + 1}`}>
                <Choice
                  name="Met"
                  hotkey="m"
                  denied={denied.save}
                  isOn={verdict === 'met'}
                  onChoose={answer === undefined ? undefined : () => onSay(at, 'met')}
                />
                <Choice
                  name="Unmet"
                  hotkey="u"
                  denied={denied.save}
                  isOn={verdict === 'unmet'}
                  onChoose={answer === undefined ? undefined : () => onSay(at, 'unmet')}
                />
              </fieldset>
            </li>
          );
        })}
      </ol>
      {checks > 0 && (
        <p class="muted small">
          {checks === 1 ? 'One more criterion is a check' : `${checks} more criteria are checks`}, decided
          without a judge.
        </p>
      )}
    </>
  );
}
