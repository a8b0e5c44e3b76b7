/** As much of a rule of the preset as is used here. Its own types come with a package that nothing else needs. */
type Rule = {
  readonly meta: { readonly id: string; readonly supportedContentTypes: readonly string[] };
  create(context: Context, options: object): { file?(source: Source): unknown };
};
type Context = {
  readonly sharedOptions: object;
  createTranslator(): (messageId: unknown, data: unknown) => object;
  report(report: { readonly range: readonly [number, number] }): void;
  ignore(): void;
};
type Source = ReturnType<typeof sourceOf>;

/** Whether any published rule sees a credential in the text. */
export type CredentialRules = (text: string) => boolean;

/**
 * The rules of the secretlint preset, run without its core. The core leaves about a hundred performance marks behind
 * for every text and never clears them (some 18 kB each time), which a run of a million tasks cannot afford; it also
 * builds sentences that quote the secret, and here they are never built.
 */
export async function loadCredentialRules(): Promise<CredentialRules> {
  const preset = await import('@secretlint/secretlint-rule-preset-recommend');
  const rules = preset.rules as unknown as readonly Rule[];
  const scan: Scan = { text: '', found: false };
  const handlers = rules.filter(readsText).map((rule) => rule.create(contextOf(scan), {}));
  return (text) => {
    const source = sourceOf(text);
    Object.assign(scan, { text, found: false });
    for (const { file } of handlers) {
      file?.(source);
      if (scan.found) break;
    }
    return scan.found;
  };
}

type Scan = { text: string; found: boolean };

// Rules for key files read the disk and are not for us. The filter rule obeys "secretlint-disable" in the text itself:
// an agent that writes it would switch the search off.
const readsText = ({ meta }: Rule): boolean =>
  meta.supportedContentTypes.includes('text') && !meta.id.endsWith('rule-filter-comments');

const contextOf = (scan: Scan): Context => ({
  sharedOptions: {},
  createTranslator: () => (messageId, data) => ({ message: '', messageId: String(messageId), data }),
  report({ range: [start, end] }) {
    if (!isPlaceholder(scan.text.slice(start, end))) scan.found = true;
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
