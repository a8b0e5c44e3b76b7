import type { Json } from '@touchstone/protocol';
import { markHidden, whole } from '@touchstone/sdk/view';
import { useState } from 'preact/hooks';
import { CopyButton } from './states.js';

/** More than this is shown when the reader asks for it. */
const MOST_CHARS = 64 * 1024;

/** Text stays text; anything else is written as JSON. */
export const textOf = (value: Json): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/** As it is stored: one line of JSON. */
const rawOf = (value: Json): string => JSON.stringify(value);

/**
 * What a model or a suite says, as text and nothing else. What would hide or reorder it is shown by its number. The stored JSON
 * stands below it when the reader asks for it: it tells a line break from two characters, and a number from a text.
 */
export function Body({ value, testId }: { readonly value: Json; readonly testId?: string }) {
  const [isWhole, showAll] = useState(false);
  const [isRaw, showRaw] = useState(false);
  const text = textOf(value);
  const cut = (whole: string): string => markHidden(isWhole ? whole : whole.slice(0, MOST_CHARS));
  return (
    <div class="body">
      <pre data-testid={testId}>{cut(text)}</pre>
      {isRaw && (
        <pre class="raw" data-testid="raw">
          {cut(rawOf(value))}
        </pre>
      )}
      {!isWhole && text.length > MOST_CHARS && (
        <button type="button" onClick={() => showAll(true)}>
          Show all {whole(text.length)} characters
        </button>
      )}
      <div class="body-tools">
        <CopyButton text={isRaw ? rawOf(value) : text} />
        <button
          type="button"
          class="quiet"
          title="The stored JSON"
          aria-pressed={isRaw}
          onClick={() => showRaw(!isRaw)}
        >
          Raw
        </button>
      </div>
    </div>
  );
}
