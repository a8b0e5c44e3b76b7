import { dirname, join } from 'node:path';

// Finds too much rather than too little: a name costs nothing unless there is such a file beside the program.
const NAME = '[\\p{L}\\p{N}_.]+';
const BEGIN = '(?:^|[;:\\n])[ \\t]*';
const IMPORT = new RegExp(`${BEGIN}import[ \\t]+([^\\n;#]+)`, 'gu');
const FROM = new RegExp(`${BEGIN}from[ \\t]*(${NAME})[ \\t]*import[ \\t]*(\\([^)]*\\)|[^\\n;#]+)`, 'gu');
const BY_CALL = new RegExp(`(?:import_module|__import__)\\s*\\(\\s*['"](${NAME})['"]`, 'gu');

/** Where the modules that a Python file imports would be, if they lie beside the program and are not installed. */
export function pythonImports(path: string, text: string, roots: readonly string[]): readonly string[] {
  const source = text.replace(/\\\r?\n/g, ' ');
  const places = (name: string) => placesOf(name, dirname(path), roots);
  return [
    ...[...source.matchAll(IMPORT)].flatMap(([, names = '']) => namesIn(names).flatMap(places)),
    ...[...source.matchAll(BY_CALL)].flatMap(([, name = '']) => places(name)),
    // What is imported from a package may be a module of it.
    ...[...source.matchAll(FROM)].flatMap(([, name = '', names = '']) =>
      [name, ...namesIn(names).map((inner) => joined(name, inner))].flatMap(places),
    ),
  ];
}

/** Where `python -m name` finds what it runs. */
export const pythonModule = (name: string, roots: readonly string[]): readonly string[] =>
  roots.flatMap((root) => [...modulePlaces(root, name), join(root, ...name.split('.'), '__main__.py')]);

/** `a.b as c, d` and `(a, b)`, comments left out. */
const namesIn = (names: string): readonly string[] =>
  names
    .replace(/#[^\n]*/g, '')
    .replace(/[()]/g, ' ')
    .split(',')
    .flatMap((part) => part.trim().split(/\s+/)[0] || []);

const joined = (module: string, name: string): string =>
  (module.endsWith('.') ? module : `${module}.`) + name;

/** One dot is the folder of the file, each further one the folder around it. */
function placesOf(name: string, folder: string, roots: readonly string[]): readonly string[] {
  const dots = name.match(/^\.*/)?.[0].length ?? 0;
  if (dots === 0) return roots.flatMap((root) => modulePlaces(root, name));
  const base = join(folder, ...Array<string>(dots - 1).fill('..'));
  return [join(base, '__init__.py'), ...modulePlaces(base, name.slice(dots))];
}

/** Importing `a.b` runs `a` first. */
function modulePlaces(root: string, name: string): readonly string[] {
  const parts = name.split('.').filter((part) => part !== '');
  return parts.flatMap((_, index) => {
    const place = join(root, ...parts.slice(0, index + 1));
    return [`${place}.py`, join(place, '__init__.py')];
  });
}
