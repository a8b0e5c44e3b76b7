import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { taskSlug } from '../../suites/index.js';
import { inside, readDocument, textOf } from '../documents.js';
import type { ImportRequest, SourceFile, SourcePointer } from '../imported.js';

/** A prompt of the source, still in its own template language. */
export type Prompt = {
  readonly at: SourcePointer;
  readonly label: string;
  /** A text, or chat messages. */
  readonly content: string | readonly Json[];
};

type Reading = Pick<ImportRequest, 'items' | 'open'> & { readonly from: SourceFile };

/** The prompts of a configuration; a bare variable when it has none, as there. */
export function readPrompts(value: Json | undefined, at: SourcePointer, reading: Reading): readonly Prompt[] {
  if (value === undefined) return [{ at, label: 'prompt', content: '{{prompt}}' }];
  const list = Array.isArray(value) ? (value as readonly Json[]) : [value];
  const labelled = list.flatMap((entry, index) =>
    readPrompt(entry, Array.isArray(value) ? inside(at, index) : at, reading),
  );
  return labelled.map((prompt, index) =>
    prompt.label === '' ? { ...prompt, label: `prompt-${index + 1}` } : prompt,
  );
}

function readPrompt(entry: Json, at: SourcePointer, reading: Reading): readonly Prompt[] {
  if (typeof entry === 'string') return readText(entry, '', at, reading);
  const { id, raw, label } = (isObject(entry) ? entry : {}) as JsonObject;
  const text = raw ?? id;
  if (typeof text === 'string') return readText(text, typeof label === 'string' ? label : '', at, reading);
  reading.items.lost(at, 'prompt of an unknown form');
  return [];
}

const PATH = /^[^\n{}]+\.(?:txt|md|j2|json|ya?ml)$/i;
const CODE = /^[^\n{}]+\.(?:[cm]?[jt]s|py)(?::\w+)?$/i;

function readText(text: string, label: string, at: SourcePointer, reading: Reading): readonly Prompt[] {
  const path = text.replace(/^file:\/\//, '');
  if (CODE.test(path)) {
    reading.items.lost(at, 'prompt that code makes');
    return [];
  }
  if (!PATH.test(path)) {
    const content = messagesOf(text) ?? text;
    if (content === text && /\n\s*$/.test(text))
      reading.items.changed(
        at,
        'prompt: ends with a line break, which promptfoo may leave out',
        'it is kept',
      );
    return [{ at, label, content }];
  }
  const files = reading.open(path, reading.from);
  if (files.length === 0) reading.items.lost(at, 'prompt in a file that is not there');
  return files.flatMap((file) =>
    promptsIn(file).map((content) => ({ at, label: label || nameOf(file), content })),
  );
}

const nameOf = ({ path }: SourceFile): string =>
  taskSlug((path.split(/[\\/]/).at(-1) ?? '').replace(/\.\w+$/, ''));

const SEPARATOR = /^---\s*$/m;

function promptsIn(file: SourceFile): readonly Prompt['content'][] {
  if (/\.(?:json|ya?ml)$/i.test(file.path)) {
    const { value } = readDocument(file);
    return [Array.isArray(value) ? (value as readonly Json[]) : textOf(file)];
  }
  const text = textOf(file);
  const parts = /\.txt$/i.test(file.path) ? text.split(SEPARATOR) : [text];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** Chat messages that are written as JSON in a text. */
function messagesOf(text: string): readonly Json[] | undefined {
  if (!/^\s*\[/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    const isChat =
      Array.isArray(value) && (value as readonly Json[]).every((one) => isObject(one) && 'role' in one);
    return isChat ? (value as readonly Json[]) : undefined;
  } catch {
    return undefined;
  }
}
