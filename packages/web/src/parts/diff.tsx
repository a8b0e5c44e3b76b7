import type { Json } from '@touchstone/protocol';
import { diffJson, diffSequences, hunksOf, markHidden, wordsOf } from '@touchstone/sdk/view';
import { useState } from 'preact/hooks';
import { textOf } from './body.js';

/** Comparing takes time in proportion to the product of the lengths. */
const MOST_WORDS = 1_500;

type DiffProps = { readonly before: Json; readonly after: Json };

/** How one answer became another: documents by path, texts word by word. Signs stand beside the colours. */
export const Diff = ({ before, after }: DiffProps) =>
  isDocument(before) && isDocument(after) ? (
    <JsonDiff before={before} after={after} />
  ) : (
    <WordDiff before={before} after={after} />
  );

/** The difference, by path or word by word as the reader likes. A text that holds a document can be read as one. */
export function ChosenDiff({ before, after }: DiffProps) {
  const [isText, showText] = useState(!isDocument(before) || !isDocument(after));
  const [one, other] = [documentIn(before), documentIn(after)];
  if (one === undefined || other === undefined) return <WordDiff before={before} after={after} />;
  return (
    <div class="chosen-diff">
      <fieldset class="segments">
        <legend class="unseen">Difference</legend>
        <button type="button" aria-pressed={isText} onClick={() => showText(true)}>
          Text
        </button>
        <button type="button" aria-pressed={!isText} onClick={() => showText(false)}>
          JSON
        </button>
      </fieldset>
      {isText ? <WordDiff before={before} after={after} /> : <JsonDiff before={one} after={other} />}
    </div>
  );
}

function documentIn(value: Json): Json | undefined {
  if (typeof value !== 'string') return isDocument(value) ? value : undefined;
  try {
    const read = JSON.parse(value) as Json;
    return isDocument(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

const isDocument = (value: Json): boolean => typeof value === 'object' && value !== null;

function JsonDiff({ before, after }: DiffProps) {
  const changes = diffJson(before, after);
  return (
    <dl class="diff json-diff" data-testid="diff" data-kind="json">
      {changes.length === 0 && <div>Both are the same.</div>}
      {changes.map(({ pointer, before: old, after: young }) => (
        <div key={pointer}>
          <dt>{pointer === '' ? 'all of it' : markHidden(pointer)}</dt>
          <dd>
            {old !== undefined && <del>{markHidden(JSON.stringify(old))}</del>}{' '}
            {young !== undefined && <ins>{markHidden(JSON.stringify(young))}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function WordDiff({ before, after }: DiffProps) {
  const [one, other] = [wordsOf(textOf(before)), wordsOf(textOf(after))];
  const isLong = one.length > MOST_WORDS || other.length > MOST_WORDS;
  const hunks = isLong
    ? [{ kind: 'changed' as const, gone: one, added: other }]
    : hunksOf(diffSequences(one, other));
  return (
    <pre class="diff" data-testid="diff" data-kind="text">
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
