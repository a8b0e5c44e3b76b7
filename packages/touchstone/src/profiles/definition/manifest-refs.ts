import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, join, posix, sep } from 'node:path';
import { child, type Issue, isObject, type UnknownObject } from '@touchstone/protocol';
import { readPackPath, shownPath, type TextReading, utf8 } from '../../suites/index.js';
import { MAX_TEXT_LENGTH, readDefinitionText } from './definition-text.js';
import { below, type Report } from './reader.js';

/** The text of a file below the root folder of a manifest; undefined when there is none. The path has no `..`. */
export type ResolveRef = (path: string) => string | undefined;

export type RefOptions = { readonly resolveRef?: ResolveRef; readonly file?: string };

/** A manifest with its references replaced by what the files say. */
export type ManifestResolution = {
  readonly value: unknown;
  /** Turns issues in a referenced file into issues of the reference. All others stay as they are. */
  atReferences(issues: readonly Issue[]): readonly Issue[];
};

type RefFile = { readonly path: string; readonly text: TextReading };
type Refs = {
  readonly open: ResolveRef | undefined;
  /** Where the manifest itself lies below the root, so that no file can refer back to it. */
  readonly self: readonly string[];
  readonly report: Report;
};

const MAX_REFS = 64;
const MAX_PATH_LENGTH = 512;

/** Replaces each definition that is `{"$ref": path}`. Schemas have references of their own, which are left alone. */
export function resolveRefs(value: unknown, options: RefOptions, report: Report): ManifestResolution {
  const definitions = isObject(value) ? value.definitions : undefined;
  if (!isObject(value) || !isObject(definitions)) return { value, atReferences: (issues) => issues };
  const refs = Object.entries(definitions).filter(([, entry]) => isObject(entry) && '$ref' in entry);
  if (refs.length > MAX_REFS) {
    report('/definitions', `Expected at most ${MAX_REFS} references to other files; got ${refs.length}.`);
    return { value, atReferences: (issues) => issues };
  }
  const context: Refs = {
    open: options.resolveRef,
    self: options.file === undefined ? [] : [basename(options.file)],
    report,
  };
  const files = new Map<string, RefFile>();
  const resolved = refs.map(([key, entry]) => {
    const pointer = below('/definitions', key);
    const found = follow(entry as UnknownObject, pointer, '', context.self, context);
    if (found) files.set(pointer, found);
    return [key, found?.text.value ?? UNREADABLE] as const;
  });
  const all = Object.fromEntries([...Object.entries(definitions), ...resolved]);
  return {
    value: { ...value, definitions: all },
    atReferences: (issues) => issues.map((issue) => atReference(issue, files)),
  };
}

// Stands for a definition that could not be loaded, which has been reported already.
const UNREADABLE = {};

/** Follows a reference, and those it leads to, until a file holds a definition. */
function follow(
  entry: UnknownObject,
  pointer: string,
  folder: string,
  seen: readonly string[],
  context: Refs,
): RefFile | undefined {
  const refuse = (message: string) => {
    context.report(child(pointer, '$ref'), message);
    return undefined;
  };
  const path = pathOf(entry, folder);
  if (path === undefined)
    return refuse('Expected only the path of a file below the folder of the manifest, with slashes.');
  if (seen.includes(path))
    return refuse(`Expected references to end, but ${shownPath(path)} leads back to itself.`);
  const content = context.open?.(path);
  if (content === undefined) return refuse(missing(path, context));
  const text = readDefinitionText(content, { file: path });
  if (text.problem) {
    for (const issue of text.locate()) refuse(inFile(path, issue));
    return undefined;
  }
  if (!isObject(text.value) || 'apiVersion' in text.value)
    return refuse(`Expected one definition in ${shownPath(path)}, as an object.`);
  if ('$ref' in text.value) return follow(text.value, pointer, posix.dirname(path), [...seen, path], context);
  return { path, text };
}

function pathOf(entry: UnknownObject, folder: string): string | undefined {
  const { $ref: ref, ...others } = entry;
  if (typeof ref !== 'string' || Object.keys(others).length > 0 || /^[/#]|^[a-z][a-z0-9+.-]*:/i.test(ref))
    return undefined;
  const path = readPackPath(posix.normalize(posix.join(folder, ref)), MAX_PATH_LENGTH);
  return path.kind === 'inside' ? path.path : undefined;
}

const missing = (path: string, { open }: Refs): string =>
  open
    ? `Expected a file at ${shownPath(path)} that can be read.`
    : 'Expected the definition itself: files cannot be followed from here.';

function atReference(issue: Issue, files: ReadonlyMap<string, RefFile>): Issue {
  const at = issue.pointer.split('/').slice(0, 3).join('/');
  const file = files.get(at);
  if (!file) return issue;
  const [located = issue] = file.text.locate([{ ...issue, pointer: issue.pointer.slice(at.length) }]);
  return { pointer: child(at, '$ref'), message: inFile(file.path, located) };
}

const inFile = (path: string, { line, column, pointer, message }: Issue): string =>
  `In ${shownPath(path)}${line === undefined ? '' : `, line ${line}, column ${column}`}, ${pointer || '/'}: ${message}`;

/** At most four bytes make a character, so what is longer is too long in any case. */
const MAX_BYTES = 4 * MAX_TEXT_LENGTH;

/** Reads referenced files below a folder, and nothing a link would lead to outside of it. */
export function refsBelow(folder: string): ResolveRef {
  const root = realpathSync(folder);
  return (path) => {
    const real = realPathOf(join(root, path));
    if (!real?.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return undefined;
    const stats = statSync(real);
    return stats.isFile() && stats.size <= MAX_BYTES ? utf8(readFileSync(real)) : undefined;
  };
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
