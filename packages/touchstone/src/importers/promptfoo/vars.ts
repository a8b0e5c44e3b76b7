import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { inside } from '../documents.js';
import type { ImportRequest, SourceFile, SourcePointer } from '../imported.js';
import { valueIn } from './assertions.js';
import { render } from './templates.js';
import type { PlacedTest } from './tests.js';

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

/** Variables may name each other. A template that needs more than names stays as it is written, which is told. */
export function renderVars(
  vars: JsonObject,
  at: SourcePointer,
  { items }: Pick<Reading, 'items'>,
): JsonObject {
  const rendered = (name: string, value: Json): Json => {
    const text = typeof value === 'string' ? render(value, vars) : value;
    if (text === undefined) items.lost(inside(at, name), 'variable whose template needs more than names');
    return text ?? value;
  };
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, rendered(name, value)]));
}

/** A test with its variables in place. They may stand in files of their own. */
export function withVars(test: PlacedTest, { items, open, from }: Reading): PlacedTest {
  const { vars } = test.value;
  if (vars === undefined || isObject(vars)) return test;
  const names = Array.isArray(vars) ? (vars as readonly Json[]) : [vars];
  const files = names.flatMap((name) =>
    typeof name === 'string' && !CODE_FILE.test(name) ? open(name.replace(/^file:\/\//, ''), from) : [],
  );
  const values = files.map(valueIn);
  if (values.length === 0 || !values.every(isObject))
    items.lost(inside(test.at, 'vars'), 'variables that are neither members nor in a file that is there');
  const read = Object.assign({}, ...values.filter(isObject)) as JsonObject;
  return { ...test, value: { ...test.value, vars: read } };
}
