import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Action } from '../action.js';
import { Dialog, Reason } from '../dialog.js';
import type { AnswerKind, Rights } from './approval-rights.js';

export type GivenAnswer = { readonly kind: AnswerKind; readonly reason?: string };

type AnswerButtonsProps = {
  readonly rights: Rights;
  /** The answers that there are here. */
  readonly kinds: readonly AnswerKind[];
  /** What will happen, in a sentence. */
  readonly effectOf: (kind: AnswerKind) => ComponentChildren;
  readonly onAnswer: (answer: GivenAnswer) => Promise<unknown>;
};

export function AnswerButtons({ rights, kinds, effectOf, onAnswer }: AnswerButtonsProps) {
  const [kind, setKind] = useState<AnswerKind>();
  const [reason, setReason] = useState('');
  const open = (next: AnswerKind) => () => {
    setReason('');
    setKind(next);
  };
  const denied = [...new Set([rights.Grant, rights.Reject].filter((why) => why !== undefined))];
  return (
    <div class="answer-buttons">
      {kinds.map((name) => (
        <Action
          key={name}
          name={name}
          kind={name === 'Grant' ? 'primary' : undefined}
          testId={`approval-${name.toLowerCase()}`}
          denied={rights[name]}
          onClick={open(name)}
        />
      ))}
      {denied.length > 0 && <p class="muted">{denied.join(' ')}</p>}
      {kind && (
        <Dialog
          name={kind}
          denied={
            kind === 'Override' && reason.trim() === '' ? 'Say why the gate is passed over.' : undefined
          }
          leadsTo="[data-testid=approval-state]"
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
