import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Action } from '../action.js';
import { Dialog, Reason } from '../dialog.js';
import type { Rights } from './approval-rights.js';

/** The answers that there are. Their names are those of the buttons, of the dialogs, and of the buttons in them. */
export type AnswerKind = 'Grant' | 'Reject' | 'Override';

export type GivenAnswer = { readonly kind: AnswerKind; readonly reason?: string };

type AnswerButtonsProps = {
  readonly rights: Rights;
  readonly hasOverride: boolean;
  /** What will happen, in a sentence. */
  readonly effectOf: (kind: AnswerKind) => ComponentChildren;
  readonly onAnswer: (answer: GivenAnswer) => Promise<unknown>;
};

export function AnswerButtons({ rights, hasOverride, effectOf, onAnswer }: AnswerButtonsProps) {
  const [kind, setKind] = useState<AnswerKind>();
  const [reason, setReason] = useState('');
  const open = (next: AnswerKind) => () => {
    setReason('');
    setKind(next);
  };
  const denied = [...new Set([rights.grant, rights.reject].filter((why) => why !== undefined))];
  return (
    <div class="answer-buttons">
      <Action
        name="Grant"
        kind="primary"
        testId="approval-grant"
        denied={rights.grant}
        onClick={open('Grant')}
      />
      <Action name="Reject" testId="approval-reject" denied={rights.reject} onClick={open('Reject')} />
      {hasOverride && (
        <Action
          name="Override"
          testId="approval-override"
          denied={rights.override}
          onClick={open('Override')}
        />
      )}
      {denied.length > 0 && <p class="muted">{denied.join(' ')}</p>}
      {kind && (
        <Dialog
          name={kind}
          denied={
            kind === 'Override' && reason.trim() === '' ? 'Say why the gate is passed over.' : undefined
          }
          onClose={() => setKind(undefined)}
          onConfirm={() => onAnswer({ kind, ...(reason.trim() !== '' && { reason: reason.trim() }) })}
        >
          <p>{effectOf(kind)}</p>
          <Reason value={reason} onInput={setReason} isRequired={kind === 'Override'} />
        </Dialog>
      )}
    </div>
  );
}

/** What the host is sent. */
export const resumeValueOf = ({ kind, reason }: GivenAnswer) => ({
  decision: kind === 'Reject' ? 'rejected' : 'granted',
  ...(kind === 'Override' && { override: true }),
  ...(reason !== undefined && { reason }),
});
