/** As much of a rule of the preset as is used here. Its own types come with a package that nothing else needs. */
type Rule = {
  readonly meta: { readonly id: string; readonly supportedContentTypes: readonly string[] };
  create(context: Context, options: object): { file?(source: Source): unknown };
};
type Context = {
  readonly sharedOptions: object;
  createTranslator(): (messageId: unknown, data: unknown) => object;
  report(report: { readonly range: Place }): void;
  ignore(): void;
};
type Source = ReturnType<typeof sourceOf>;

/** Whether any published rule sees a credential in the text. */
export type CredentialRules = (text: string) => boolean;

/** A stretch of a text: where it begins, and where what follows it begins. */
export type Place = readonly [start: number, end: number];
/** Everywhere a published rule sees a credential, placeholders included. */
export type CredentialPlaces = (text: string) => readonly Place[];

export async function loadCredentialRules(): Promise<CredentialRules> {
  const look = await loadPreset();
  return (text) => {
    let found = false;
    look(text, ([start, end]) => {
      found ||= !isPlaceholder(text.slice(start, end));
      return found;
    });
    return found;
  };
}

export async function loadCredentialPlaces(): Promise<CredentialPlaces> {
  const look = await loadPreset();
  return (text) => {
    const places: Place[] = [];
    look(text, (place) => {
      places.push(place);
      return false;
    });
    return places;
  };
}

/** Shows every place to `seen`; no further rule is asked once it has answered true. */
type Look = (text: string, seen: (place: Place) => boolean) => void;

/**
 * The rules of the secretlint preset, run without its core. The core leaves about a hundred performance marks behind
 * for every text and never clears them (some 18 kB each time), which a run of a million tasks cannot afford; it also
 * builds sentences that quote the secret, and here they are never built.
 */
async function loadPreset(): Promise<Look> {
  const preset = await import('@secretlint/secretlint-rule-preset-recommend');
  const rules = preset.rules as unknown as readonly Rule[];
  const scan: Scan = { done: false, seen: () => false };
  const handlers = rules.filter(readsText).map((rule) => rule.create(contextOf(scan), {}));
  return (text, seen) => {
    Object.assign(scan, { done: false, seen });
    for (const source of [...new Set([text, withGaps(text)])].map(sourceOf))
      for (const { file } of handlers) {
        if (scan.done) return;
        file?.(source);
      }
  };
}

// No token follows a letter, so that none is seen inside a word. Texts in scripts without spaces have a letter there all
// the same, and encodings may end with one.
const BEFORE_WORD = /(?:[\u0080-\uffff]|%[\dA-Fa-f]{2}|\\[nrt])(?=\w)/g;

/** The same text, every character at its place, with spaces where a token could begin unseen. */
export const withGaps = (text: string): string =>
  text.replace(BEFORE_WORD, (found) => ' '.repeat(found.length));

type Scan = { done: boolean; seen: (place: Place) => boolean };

// Rules for key files read the disk and are not for us. The filter rule obeys "secretlint-disable" in the text itself:
// an agent that writes it would switch the search off.
const readsText = ({ meta }: Rule): boolean =>
  meta.supportedContentTypes.includes('text') && !meta.id.endsWith('rule-filter-comments');

const contextOf = (scan: Scan): Context => ({
  sharedOptions: {},
  createTranslator: () => (messageId, data) => ({ message: '', messageId: String(messageId), data }),
  report({ range }) {
    if (scan.seen(range)) scan.done = true;
  },
  ignore() {},
});

/** A text with no place in a file: whatever a rule would derive from the place is not looked at. */
function sourceOf(content: string) {
  const position = { line: 1, column: 0 };
  return {
    hasBOM: false,
    content,
    contentType: 'text',
    ext: '',
    filePath: undefined,
    physicalFilePath: undefined,
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    indexToPosition: () => position,
    positionToIndex: () => 0,
    rangeToLocation: () => ({ start: position, end: position }),
    locationToRange: () => [0, 0],
  };
}

const PLACEHOLDER = /x{5,}|\*{3,}|\.{3}|[<>]|your|placeholder|redacted|change-?me|dummy|(?<![@.])example/i;

/** What documentation writes where a credential would stand. */
export const isPlaceholder = (match: string): boolean =>
  match.length < 16 || PLACEHOLDER.test(match) || new Set(match).size < 8;
