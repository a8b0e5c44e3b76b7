import type { ReviewItem } from '@touchstone/protocol';
import { useState } from 'preact/hooks';
import { annotationsOf, type Draft, draftTrouble } from '../../review-draft.js';
import { client } from '../../source.js';

export type Saving = {
  readonly save: () => void;
  readonly isSaving: boolean;
  readonly trouble?: string | undefined;
  readonly error?: unknown;
};

/** Sends what was decided, one after the other, and goes on. What was recorded is not sent again after a failure. */
export function useSaving(
  item: ReviewItem,
  draft: Draft,
  change: (next: (draft: Draft) => Draft) => void,
  onSaved: () => void,
): Saving {
  const [state, setState] = useState<Omit<Saving, 'save'>>({ isSaving: false });
  const send = async (): Promise<void> => {
    for (const one of annotationsOf(draft, item)) {
      await client.runs.annotate(item.runId, one);
      change((old) => ({ ...old, sent: [...old.sent, JSON.stringify(one)] }));
    }
  };
  const save = (): void => {
    const trouble = draftTrouble(draft, item);
    if (state.isSaving) return;
    setState({ isSaving: trouble === undefined, trouble });
    if (trouble !== undefined) return;
    send().then(onSaved, (error: unknown) => setState({ isSaving: false, error }));
  };
  return { ...state, save };
}
