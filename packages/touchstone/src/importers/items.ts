import { defined } from '@touchstone/protocol';
import type {
  ImportItem,
  ItemCollector,
  ItemSeverity,
  Position,
  SourceDocument,
  SourcePointer,
} from './imported.js';

type ItemDraft = {
  readonly severity: ItemSeverity;
  readonly at: SourcePointer;
  readonly what: string;
  readonly became?: string | undefined;
  readonly hint?: string | undefined;
  times: number;
};

/** One place holds for several tests when the source multiplies: such an item is one, and counts as often. */
export function createItems(): ItemCollector {
  const found = new Map<string, ItemDraft>();
  const documents = new Map<SourceDocument, number>();
  const add = (
    severity: ItemSeverity,
    at: SourcePointer,
    what: string,
    became?: string,
    hint?: string,
  ): void => {
    const known = documents.get(at.document) ?? documents.size;
    documents.set(at.document, known);
    const key = JSON.stringify([severity, known, at.pointer, what]);
    const same = found.get(key);
    if (same) same.times += 1;
    else found.set(key, { severity, at, what, became, hint, times: 1 });
  };
  return {
    lost: (at, what, hint) => add('lost', at, what, undefined, hint),
    changed: (at, what, became, hint) => add('changed', at, what, became, hint),
    note: (at, what, hint) => add('note', at, what, undefined, hint),
    items: () => located([...found.values()]),
  };
}

/** A text is read once more to find lines: once for all places of it. In the order of the files and their lines. */
function located(found: readonly ItemDraft[]): readonly ImportItem[] {
  const byDocument = new Map<SourceDocument, ItemDraft[]>();
  for (const one of found) {
    const { document } = wholeOf(one.at);
    const others = byDocument.get(document);
    if (others) others.push(one);
    else byDocument.set(document, [one]);
  }
  const items = [...byDocument].flatMap(([document, ofIt]) => {
    const positions = document.locate(ofIt.map(({ at }) => wholeOf(at).pointer));
    return ofIt.map((one, index) => itemOf(one, positions[index] ?? { line: 1, column: 1 }));
  });
  return items.sort(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
  );
}

/** The same place in the document that the part stands in. */
function wholeOf({ document, pointer }: SourcePointer): SourcePointer {
  const { within } = document;
  return within
    ? wholeOf({ document: within.document, pointer: `${within.pointer}${pointer}` })
    : { document, pointer };
}

function itemOf(
  { severity, at, what, became, hint, times }: ItemDraft,
  { line, column }: Position,
): ImportItem {
  const { document, pointer } = wholeOf(at);
  const count = times > 1 ? times : undefined;
  return defined({ severity, file: document.file, line, column, pointer, what, became, hint, times: count });
}
