import { createRequire } from 'node:module';
import { MAX_JSON_DEPTH, segmentsOf } from '@touchstone/protocol';
import type { Alias, CST, Document, ErrorCode, Node, YAMLError } from 'yaml';
import type { TextIssue, TextSource } from './text-source.js';
import { isMergeKey, type Members, membersWith, type Targets } from './yaml-merge.js';

type Yaml = typeof import('yaml');

const require = createRequire(import.meta.url);
let library: Yaml | undefined;

/**
 * The YAML library, loaded when the first YAML text is read. Loading it takes about as long as starting Node, which
 * authors of JSON suites would otherwise pay for at each start. Reading is synchronous, so `import()` is not an option.
 */
function yaml(): Yaml {
  library ??= require('yaml') as Yaml;
  return library;
}

const MAX_ISSUES = 20;
/** How many values all aliases together may stand for: plenty for shared fixtures, too few for an alias bomb. */
const MAX_ALIASED_VALUES = 1_000_000;
const TOO_DEEP = `Nested deeper than ${MAX_JSON_DEPTH} levels. Flatten the value.`;
/** Of the document and of the scalar in the innermost collection. */
const EXTRA_LEVELS = 8;

// Errors keep their codes only: the library's sentences quote the text.
const OPTIONS = {
  version: '1.2',
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  // The library would compare every key with every other one.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const;

/** Ends the reading of a document. */
class YamlRefusal extends Error {
  constructor(readonly issue: TextIssue) {
    super(issue.message);
  }
}

const issueAt = (offset: number, message: string): TextIssue => ({ pointer: '', offset, message });
const startOf = (node: Node | null | undefined): number => node?.range?.[0] ?? 0;

/**
 * Reads YAML 1.2 as far as it means JSON: string keys, each once; the core schema's scalars; no tags beyond it, one
 * document. What another YAML reader might read differently is refused rather than guessed; so are merge keys, unless the
 * text was written for a reader that applies them.
 */
export function parseYaml(text: string, mergeKeys = false): TextSource {
  // Repeated keys are among the issues already.
  const nothing = { repeatedKeys: () => [], locate: () => () => 0 };
  try {
    const document = composeDocument(text);
    const { targets, issues } = resolveAliases(document, mergeKeys);
    const membersOf = membersWith(yaml(), targets);
    const all = firstOfEach([...syntaxIssues(document), ...repeatedKeys(document), ...issues]);
    const locate = () => (pointer: string) => locateYaml(document, { targets, membersOf }, pointer);
    if (all.length > 0) return { ...nothing, locate, issues: all.slice(0, MAX_ISSUES) };
    return { ...nothing, locate, issues, value: toValue(document.contents, { targets, membersOf }) };
  } catch (error) {
    if (error instanceof YamlRefusal) return { ...nothing, issues: [error.issue] };
    throw error;
  }
}

function composeDocument(text: string): Document {
  const { Composer, YAMLParseError } = yaml();
  const composer = new Composer(OPTIONS);
  let first: Document | undefined;
  for (const document of composer.compose(tokensOf(text), true, text.length)) {
    if (first) {
      first.errors.push(new YAMLParseError([document.range[0], document.range[1]], 'MULTIPLE_DOCS', ''));
      break;
    }
    first = document;
  }
  return first as Document;
}

/**
 * The library builds nested values by recursion. Near the end of the stack V8 may end the whole process instead of
 * throwing, so deep nesting is refused while the text is still a flat list of tokens.
 */
function* tokensOf(text: string): Generator<CST.Token, void> {
  const { Lexer, Parser } = yaml();
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_JSON_DEPTH + EXTRA_LEVELS)
      throw new YamlRefusal(issueAt(parser.offset, TOO_DEEP));
  }
  yield* parser.end();
}

function syntaxIssues(document: Document): readonly TextIssue[] {
  // Unknown tags and directives are only warnings to the library; here they would change what the suite says.
  const errors: readonly YAMLError[] = [...document.errors, ...document.warnings];
  const issues = errors.map(({ code, pos }) => issueAt(pos[0], messageFor(code)));
  return document.directives?.yaml.version === '1.2'
    ? issues
    : [...issues, issueAt(0, 'Expected YAML 1.2. Remove the %YAML directive.')];
}

function repeatedKeys(document: Document): readonly TextIssue[] {
  const issues: TextIssue[] = [];
  yaml().visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key } of map.items.filter((pair) => !isMergeKey(yaml(), pair))) {
        const name = keyOf(key);
        if (seen.has(name)) issues.push(issueAt(startOf(key as Node), messageFor('DUPLICATE_KEY')));
        seen.add(name);
      }
    },
  });
  return issues;
}

/** In the order of the file, one for each place: what follows at the same place is an echo of the first. */
const firstOfEach = (issues: readonly TextIssue[]): readonly TextIssue[] =>
  issues
    .toSorted((a, b) => a.offset - b.offset)
    .filter((issue, at, all) => issue.offset !== all[at - 1]?.offset);

/** How parts of a document hang together beyond its nesting. */
type Links = { readonly targets: Targets; readonly membersOf: Members };

const MERGE_KEY =
  'Merge keys are not part of YAML 1.2. Write the members out, or quote the key if it is meant literally.';

/**
 * Finds what every alias stands for, and what no two readers would agree on: aliases to nothing or to their own
 * inside, and merge keys, which YAML 1.2 does not have but many readers still apply.
 */
function resolveAliases(
  document: Document,
  mergeKeys: boolean,
): {
  readonly targets: Targets;
  readonly issues: readonly TextIssue[];
} {
  const { isAlias, visit } = yaml();
  const targets = new Map<Alias, Node>();
  const anchors = new Map<string, Node>();
  const issues: TextIssue[] = [];
  const report = (node: Node, message: string) => issues.push(issueAt(startOf(node), message));
  visit(document, {
    Pair: (_, pair) => {
      if (!mergeKeys && isMergeKey(yaml(), pair)) report(pair.key as Node, MERGE_KEY);
    },
    Node: (_, node, path) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target === undefined) report(node, 'Expected an anchor of this name earlier in the file.');
      else if (path.includes(target)) report(node, 'An alias cannot stand inside the value it stands for.');
      else targets.set(node, target);
    },
  });
  return { targets, issues: [...issues, ...(mergeKeys ? mergeIssues(document, targets) : [])] };
}

/** What is merged has to be a mapping, or a list of them. */
function mergeIssues(document: Document, targets: Targets): readonly TextIssue[] {
  const { isAlias, isMap, isSeq, visit } = yaml();
  const followed = (node: unknown) => (isAlias(node) ? targets.get(node) : node);
  const issues: TextIssue[] = [];
  visit(document, {
    Pair: (_, pair) => {
      const value = followed(pair.value);
      const sources = isSeq(value) ? value.items.map(followed) : [value];
      if (isMergeKey(yaml(), pair) && !sources.every(isMap))
        issues.push(
          issueAt(startOf(pair.key as Node), 'Expected a mapping to merge, or a list of mappings.'),
        );
    },
  });
  return issues;
}

const keyOf = (key: unknown): string => (yaml().isScalar(key) ? String(key.value) : '');

/**
 * The value of a document as a plain tree. Aliases are written out, so nothing in a suite is shared or circular; the
 * budget, not the library's count of aliases, bounds that, because one alias may stand for very much.
 */
function toValue(root: Document['contents'], { targets, membersOf }: Links): unknown {
  const { isAlias, isMap, isScalar, isSeq } = yaml();
  let aliased = 0;
  const convert = (node: Node | null | undefined, depth: number, inAlias: boolean): unknown => {
    if (depth > MAX_JSON_DEPTH) throw new YamlRefusal(issueAt(startOf(node), TOO_DEEP));
    if (inAlias) aliased += 1;
    if (aliased > MAX_ALIASED_VALUES)
      throw new YamlRefusal(
        issueAt(startOf(node), 'Aliases stand for too many values. Write fewer of them.'),
      );
    if (isAlias(node)) return convert(targets.get(node), depth, true);
    if (isSeq<Node>(node)) return node.items.map((item) => convert(item, depth + 1, inAlias));
    // `fromEntries` defines members instead of assigning them, so a key called `__proto__` is only a key.
    if (isMap<Node, Node | null>(node))
      return Object.fromEntries(
        membersOf(node).map(({ key, value, isMerged }) => [
          keyOf(key),
          convert(value, depth + 1, inAlias || isMerged),
        ]),
      );
    return isScalar(node) ? node.value : null;
  };
  return convert(root as Node | null, 0, false);
}

/** The key of a member, the value of an item. An alias is followed: what is wrong stands where its anchor is. */
function locateYaml(document: Document, { targets, membersOf }: Links, pointer: string): number {
  let node = document.contents as Node | null;
  let offset = startOf(node);
  for (const segment of segmentsOf(pointer)) {
    const step = stepInto(yaml().isAlias(node) ? targets.get(node) : node, segment, membersOf);
    if (step === undefined) break;
    node = step.node;
    offset = startOf(step.shown);
  }
  return offset;
}

type Step = { readonly node: Node | null; readonly shown: Node | null };

function stepInto(node: Node | null | undefined, segment: string, membersOf: Members): Step | undefined {
  const { isMap, isScalar, isSeq } = yaml();
  if (isSeq<Node>(node)) {
    const item = node.items[Number(segment)];
    return item && { node: item, shown: item };
  }
  if (!isMap<Node, Node | null>(node)) return undefined;
  const pair = membersOf(node).find(({ key }) => isScalar(key) && key.value === segment);
  return pair && { node: pair.value, shown: pair.key };
}

const MESSAGES: { readonly [Code in ErrorCode]?: string } = {
  BAD_ALIAS: 'Expected a name after & or *.',
  BAD_COLLECTION_TYPE: 'Expected a tag that fits the value, or none.',
  BAD_DIRECTIVE: 'Expected no directive of this kind. Remove the line.',
  BAD_DQ_ESCAPE: 'Expected one of the escapes YAML knows after the backslash.',
  BAD_INDENT: 'Expected another indentation here, or a closing bracket or brace before this.',
  BAD_SCALAR_START: 'Expected quotes: a plain text cannot begin with this character.',
  BLOCK_AS_IMPLICIT_KEY: 'Expected one key on this line. Quote the text if the colon belongs to it.',
  BLOCK_IN_FLOW: 'Expected flow style inside brackets or braces.',
  DUPLICATE_KEY: 'This key is already used in the same mapping.',
  KEY_OVER_1024_CHARS: 'Expected a key of at most 1024 characters.',
  MISSING_CHAR: 'Expected a character that is missing here, such as a closing quote, a colon or a space.',
  MULTILINE_IMPLICIT_KEY: 'Expected the key on one line.',
  MULTIPLE_DOCS: 'Expected one document in the file. Put the second one into a file of its own.',
  NON_STRING_KEY: 'Expected a text as the key.',
  RESOURCE_EXHAUSTION: 'Nested too deep. Flatten the value.',
  TAB_AS_INDENT: 'Expected spaces: YAML does not indent by tabs.',
  TAG_RESOLVE_FAILED: 'Expected no tag, or one of the core schema that fits the value.',
};

/** What was expected where the library found this. Its own sentence is never shown, because it can quote the text. */
const messageFor = (code: ErrorCode): string => MESSAGES[code] ?? 'Expected valid YAML here.';
