import type { Json, JsonObject } from '@touchstone/protocol';
import { inside } from '../documents.js';
import type { ImportRequest, SourceFile, SourcePointer } from '../imported.js';
import { valueIn } from './assertions.js';
import { render } from './templates.js';

type Reading = Pick<ImportRequest, 'items' | 'open'> & { readonly from: SourceFile };

const CODE_FILE = /\.(?:[cm]?[jt]s|py)(?::\w+)?$/;

/** Files that variables name are read; what code would make is lost. */
export function readVars(vars: JsonObject, at: SourcePointer, reading: Reading): JsonObject {
  return Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [name, readVar(value, inside(at, name), reading)]),
  );
}

function readVar(value: Json, at: SourcePointer, { items, open, from }: Reading): Json {
  if (typeof value !== 'string' || !value.startsWith('file://')) return value;
  const path = value.slice('file://'.length);
  const files = CODE_FILE.test(path) ? [] : open(path, from);
  if (files.length === 0) {
    items.lost(at, CODE_FILE.test(path) ? 'variable that code makes' : 'variable whose file is not there');
    return value;
  }
  const texts = files.map(valueIn).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return texts.length === 1 ? (texts[0] as string) : texts;
}

/** Variables may name each other. */
export function renderVars(vars: JsonObject): JsonObject {
  const rendered = (value: Json): Json =>
    typeof value === 'string' ? (render(value, vars) ?? value) : value;
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, rendered(value)]));
}
