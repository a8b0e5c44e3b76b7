import { useState } from 'preact/hooks';
import { type Draft, EMPTY_DRAFT } from '../../review-draft.js';

/** What a person has decided in this tab, by task: going back shows it again. */
export function useDrafts() {
  const [drafts, setDrafts] = useState<{ readonly [key: string]: Draft }>({});
  return {
    of: (key: string): Draft => drafts[key] ?? EMPTY_DRAFT,
    change: (key: string, next: (draft: Draft) => Draft): void =>
      setDrafts((old) => ({ ...old, [key]: next(old[key] ?? EMPTY_DRAFT) })),
  };
}

export type Drafts = ReturnType<typeof useDrafts>;
