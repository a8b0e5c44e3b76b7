import type { Json } from '@touchstone/protocol';
import { markHidden } from '@touchstone/sdk/view';
import { useState } from 'preact/hooks';
import { CopyButton } from './states.js';

/** More than this is shown when the reader asks for it. */
const MOST_CHARS = 64 * 1024;

/** Text stays text; anything else is written as JSON. */
export const textOf = (value: Json): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/** What a model or a suite says, as text and nothing else. What would hide or reorder it is shown by its number. */
export function Body({ value, testId }: { readonly value: Json; readonly testId?: string }) {
  const [isWhole, showAll] = useState(false);
  const text = textOf(value);
  const shown = isWhole ? text : text.slice(0, MOST_CHARS);
  return (
    <div class="body">
      <pre data-testid={testId}>{markHidden(shown)}</pre>
      <div class="body-tools">
        <CopyButton text={text} />
        {shown.length < text.length && (
          <button type="button" class="quiet" onClick={() => showAll(true)}>
            Show all {text.length.toLocaleString('en-US')} characters
          </button>
        )}
      </div>
    </div>
  );
}
