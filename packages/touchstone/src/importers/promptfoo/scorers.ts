import { basename } from 'node:path';
import { defined, type Json, type JsonObject } from '@touchstone/protocol';
import { textOf } from '../documents.js';
import type { ImportRequest, SourceFile } from '../imported.js';
import { type Assertion, type Converter, lost, type Outcome } from './assertion.js';
import { fileJavascript, filePython, inlineJavascript, inlinePython } from './scorer-code.js';

/** Collects the programs that assertions are made of. The same code is one scorer. */
export type ScorerFiles = {
  readonly converters: { readonly [type: string]: Converter };
  /** `scorers` of the configuration. */
  entries(): JsonObject;
  files(): { readonly [path: string]: string };
};

type Language = 'javascript' | 'python';
const EXTENSIONS = { javascript: '.mjs', python: '.py' } as const;

export function createScorerFiles(open: ImportRequest['open'], from: SourceFile): ScorerFiles {
  const files: { [path: string]: string } = {};
  const names = new Map<string, string>();
  const entries: { [name: string]: JsonObject } = {};
  const add = (language: Language, program: string): string => {
    const known = names.get(program);
    if (known !== undefined) return known;
    const name = `${language}-${names.size + 1}`;
    names.set(program, name);
    const path = `scorers/${name}${EXTENSIONS[language]}`;
    files[path] = program;
    entries[name] = { kind: language === 'python' ? 'python' : 'module', path: `./${path}` };
    return name;
  };
  const convert =
    (language: Language): Converter =>
    (given) => {
      const program = programOf(language, given, { open, from, files });
      if (typeof program !== 'string') return program;
      return {
        check: 'scorer',
        args: { name: add(language, program), config: configOf(given) },
        turned: true,
        changed: `code: read scorers/ before you run it`,
      };
    };
  return {
    converters: { javascript: convert('javascript'), python: convert('python') },
    entries: () => entries,
    files: () => files,
  };
}

const configOf = ({ threshold, not, raw }: Assertion): JsonObject =>
  defined({ threshold, not: not || undefined, config: raw.config as Json | undefined }) as JsonObject;

type Copying = {
  readonly open: ImportRequest['open'];
  readonly from: SourceFile;
  readonly files: { [path: string]: string };
};

const FILE = /^file:\/\/(.+?\.(?:[cm]?[jt]s|py))(?::(\w+))?$/;

function programOf(
  language: Language,
  { value }: Assertion,
  { open, from, files }: Copying,
): string | Outcome {
  if (typeof value !== 'string' || value.trim() === '') return lost('without code');
  const [, path, name] = FILE.exec(value.trim()) ?? [];
  if (path === undefined) return language === 'python' ? inlinePython(value) : inlineJavascript(value);
  const [source] = open(path, from);
  if (!source) return lost('whose file is not there');
  const file = basename(path);
  files[`scorers/${file}`] = textOf(source);
  return language === 'python' ? filePython(file, name) : fileJavascript(file, name);
}
