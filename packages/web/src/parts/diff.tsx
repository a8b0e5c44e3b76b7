import type { Json } from '@touchstone/protocol';
import { diffSequences, hunksOf, markHidden, wordsOf } from '@touchstone/sdk/view';
import { textOf } from './body.js';

/** Comparing takes time in proportion to the product of the lengths. */
const MOST_WORDS = 1_500;

/** How one answer became another, word by word. Signs stand beside the colours. */
export function Diff({ before, after }: { readonly before: Json; readonly after: Json }) {
  const [one, other] = [wordsOf(textOf(before)), wordsOf(textOf(after))];
  const kind = typeof before === 'string' && typeof after === 'string' ? 'text' : 'json';
  const isLong = one.length > MOST_WORDS || other.length > MOST_WORDS;
  const hunks = isLong
    ? [{ kind: 'changed' as const, gone: one, added: other }]
    : hunksOf(diffSequences(one, other));
  return (
    <pre class="diff" data-testid="diff" data-kind={kind}>
      {hunks.map((hunk, at) =>
        hunk.kind === 'same' ? (
          markHidden(hunk.items.join(''))
        ) : (
          <span key={`${at}`}>
            {hunk.gone.length > 0 && <del>{markHidden(hunk.gone.join(''))}</del>}
            {hunk.added.length > 0 && <ins>{markHidden(hunk.added.join(''))}</ins>}
          </span>
        ),
      )}
    </pre>
  );
}
