// How large and how tangled is the tree? node scripts/measure-house.mjs [path of a built checkout]
// Prints a Markdown table. Sources are what packages/*/src holds besides tests, their helpers and fixtures.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

const tree = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
const LONG_FUNCTION = 70;
const percent = (part, whole) => `${((100 * part) / whole).toFixed(part / whole < 0.01 ? 2 : 1)} %`;

// --- Sources

const sourcesBelow = (folder) =>
  readdirSync(join(tree, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['testing', 'fixtures'].includes(entry.name) ? [] : sourcesBelow(path);
    return /\.(?:ts|tsx|js)$/.test(path) && !/\.test\.tsx?$/.test(path) ? [path] : [];
  });
const packages = readdirSync(join(tree, 'packages')).filter((name) =>
  existsSync(join(tree, 'packages', name, 'src')),
);
const textOf = new Map(
  packages
    .flatMap((name) => sourcesBelow(`packages/${name}/src`))
    .map((file) => [file, readFileSync(join(tree, file), 'utf8')]),
);
const files = [...textOf.keys()];
const linesOf = (text) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
const lineCount = (some) => sum(some.map((file) => linesOf(textOf.get(file))));

function largestFolder() {
  const counts = new Map();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  const [folder, count] = [...counts].sort((a, b) => b[1] - a[1])[0];
  return `${count} (${folder.replace('packages/', '')})`;
}

const SPECIFIER = /(?:(?<!-)\bfrom\s*|\bimport\s*\(?\s*|(?<!\.)\brequire\s*\(\s*)'([^']+)'/g;
const importsOf = (file) =>
  [...textOf.get(file).matchAll(SPECIFIER)]
    .filter(([, specifier]) => specifier.startsWith('.'))
    .map(([, specifier]) => relative(tree, resolve(tree, dirname(file), specifier)))
    .map((path) => (textOf.has(path) ? path : path.replace(/\.js$/, '.ts')))
    .filter((path) => textOf.has(path));

/** Groups of files that reach each other (Tarjan). */
function cycles() {
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const [order, lowest, open, groups] = [new Map(), new Map(), [], []];
  const visit = (file) => {
    order.set(file, order.size);
    lowest.set(file, order.get(file));
    open.push(file);
    for (const next of imports.get(file)) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(file, Math.min(lowest.get(file), lowest.get(next)));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1 || imports.get(file).includes(file)) groups.push(group.length);
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return groups.length === 0 ? '0' : `${groups.length} (largest ${Math.max(...groups)} files)`;
}

// --- Syntax

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
const NAMED_BY = {
  VariableDeclarator: 'init',
  Property: 'value',
  MethodDefinition: 'value',
  PropertyDefinition: 'value',
};

/** Lines of every function that has a name, its own or that of what holds it. */
function functionsIn(file) {
  const text = textOf.get(file);
  const found = [];
  const visit = (node, parent) => {
    if (Array.isArray(node)) for (const each of node) visit(each, parent);
    if (typeof node?.type !== 'string') return;
    const isNamed = node.id || (parent && parent[NAMED_BY[parent.type]] === node);
    if (FUNCTIONS.includes(node.type) && isNamed && node.body)
      found.push(linesOf(text.slice(node.start, node.end)));
    for (const child of Object.values(node)) if (typeof child === 'object') visit(child, node);
  };
  visit(parseAst(text, { lang: file.split('.').at(-1) }).body);
  return found;
}
function longFunctions() {
  const all = files.flatMap(functionsIn);
  const long = all.filter((lines) => lines > LONG_FUNCTION).length;
  return `${percent(long, all.length)} (${long} of ${all.length})`;
}

function importLines(file) {
  const text = textOf.get(file);
  const { body } = parseAst(text, { lang: file.split('.').at(-1) });
  return sum(body.filter(({ source }) => source).map(({ start, end }) => linesOf(text.slice(start, end))));
}

/** Lines that hold nothing but comment. */
function commentLines(file) {
  let isInside = false;
  return textOf
    .get(file)
    .split('\n')
    .filter((line) => {
      const text = line.trim();
      const isComment = isInside || text.startsWith('//') || text.startsWith('/*');
      if (text.startsWith('/*')) isInside = true;
      if (text.includes('*/')) isInside = false;
      return isComment;
    }).length;
}

const filledLines = (file) => [...textOf.get(file).matchAll(/\S.*$/gm)].length;

// --- Things that exist more than once

const countOf = (pattern) => sum([...textOf.values()].map((text) => [...text.matchAll(pattern)].length));
/** Ways to check a value against a declared shape, by what each is known by. */
const VALIDATORS = [
  /export function explain\(\s*schema/,
  /export function shapeIssues\(/,
  /export class ObjectReader\b/,
  /export type Reader<\w+> =/,
  /export type Shape<\w+/,
];
const IS_OBJECT =
  /(?:function|const) (?:isObject|isPlainObject|isMembers|isRecord|isJsonObject)\b[^\n]*\bis\b/g;
const TYPE_NAME =
  /(?:function|const) (?:typeName|kindOf|typeOf)\b[^\n]*: unknown\): string[^}]{0,120}isArray/g;
const copies = () => [
  VALIDATORS.filter((pattern) => [...textOf.values()].some((text) => pattern.test(text))).length,
  files.filter((file) => /import https? from 'node:https?'|from 'undici'/.test(textOf.get(file))).length,
  countOf(TYPE_NAME),
  countOf(IS_OBJECT),
];

// --- Verbs

const COMMAND = join(tree, 'packages/touchstone/bin/touchstone.js');
const helpOf = (...verb) =>
  execFileSync(process.execPath, [COMMAND, ...verb, '--help'], { encoding: 'utf8' });
const verbsIn = (help) =>
  [...(help.split(/^Commands:\n/m)[1] ?? '').matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, verb]) => verb);
function remoteVerbs() {
  const verbs = verbsIn(helpOf()).filter((verb) => verb !== 'help');
  const isRemote = (...verb) => {
    const help = helpOf(...verb);
    const inner = verb.length === 1 ? verbsIn(help).filter((each) => each !== 'help') : [];
    return /^\s*(?:-\w, )?--host\b/m.test(help) || inner.some((each) => isRemote(...verb, each));
  };
  const remote = verbs.filter((verb) => isRemote(verb));
  return `${remote.length} of ${verbs.length}`;
}

// --- Files on the way, by coverage

const UNBUNDLED = join(tree, 'bench/lib/unbundled.mjs');
const KEY = 'key-of-the-measurement-0123456789';

function writeProject(folder) {
  const write = (name, value) =>
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
  write('echo.mjs', 'export default (input) => input;\n');
  write('echo.suite.json', {
    suiteId: 'local.measure.evals.echo',
    version: '1.0.0',
    modes: ['golden'],
    tasks: ['a', 'b', 'c'].map((value) => ({
      taskId: value,
      input: value,
      expected: { kind: 'golden', match: { strategy: 'exact', value } },
    })),
  });
  write('touchstone.config.json', {
    keys: [{ key: KEY, tenant: 'acme', roles: ['admin'] }],
    agents: [
      { agentId: 'local.measure.echo', version: '1.0.0', run: { kind: 'module', path: './echo.mjs' } },
    ],
    suites: ['.'],
  });
}

/** The functions of our built files that a process and its threads called, by file. */
async function covered(folder, name, args, use) {
  const coverage = join(folder, name);
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, NODE_V8_COVERAGE: coverage },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  if (use) await use(child);
  else child.stdout.resume();
  const [code] = await ended;
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  const called = new Map();
  for (const file of readdirSync(coverage))
    for (const { url, functions } of JSON.parse(readFileSync(join(coverage, file), 'utf8')).result) {
      if (!url.startsWith(`${pathToFileURL(tree)}/packages/`) || !url.includes('/dist/')) continue;
      const set = called.get(url) ?? new Set();
      called.set(url, set);
      for (const { ranges } of functions)
        if (ranges[0].count > 0 && ranges[0].startOffset > 0) set.add(ranges[0].startOffset);
    }
  return called;
}
const filesBeyond = (called, before) =>
  [...called].filter(([url, set]) => [...set].some((start) => !before.get(url)?.has(start))).length;

/** What a run calls, without what its files call while they are loaded. */
async function filesOfRun(folder) {
  const run = ['run', 'echo.suite.json', '--agent', 'local.measure.echo', '--json'];
  const called = await covered(folder, 'run', [UNBUNDLED, ...run]);
  writeFileSync(
    join(folder, 'load.mjs'),
    `for (const url of ${JSON.stringify([...called.keys()].filter((url) => !url.endsWith('-worker.js')))}) await import(url);\n`,
  );
  return filesBeyond(called, await covered(folder, 'load', ['load.mjs']));
}

/** What a host calls for one run that is created, executed and streamed, without what it calls to start and end. */
async function filesOfRequest(folder) {
  const serve = [UNBUNDLED, 'serve', '--port', '0'];
  const listening = async (child, use) => {
    child.stdout.setEncoding('utf8');
    let seen = '';
    for await (const text of child.stdout) {
      seen += text;
      const url = /^listening (\S+)\n/m.exec(seen)?.[1];
      if (!url) continue;
      await use(url);
      child.kill('SIGTERM');
      break;
    }
  };
  const idle = await covered(folder, 'idle', [...serve, '--data', 'idle-data'], (child) =>
    listening(child, async () => undefined),
  );
  const busy = await covered(folder, 'busy', [...serve, '--data', 'busy-data'], (child) =>
    listening(child, evaluate),
  );
  return filesBeyond(busy, idle);
}
async function evaluate(url) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const body = { mode: 'eval', evalSuiteRef: 'local.measure.evals.echo', agentId: 'local.measure.echo' };
  const created = await fetch(`${url}/v1/runs`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { runId } = await created.json();
  const stream = await fetch(`${url}/v1/runs/${runId}/events`, {
    headers: { ...headers, accept: 'text/event-stream' },
  });
  const text = await stream.text();
  if (!text.includes('run.completed')) throw new Error(`The run did not complete: ${text.slice(-500)}`);
}

async function filesOnTheWay() {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-measure-'));
  try {
    writeProject(folder);
    return `${await filesOfRun(folder)} / ${await filesOfRequest(folder)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// --- The table

const rows = [
  ['source lines / files', `${lineCount(files).toLocaleString('en')} / ${files.length}`],
  ['largest flat folder', largestFolder()],
  ['import cycles, types counted', cycles()],
  [`functions over ${LONG_FUNCTION} lines`, longFunctions()],
  ['files on the way of `run` / of `POST` + SSE (by coverage)', await filesOnTheWay()],
  ['verbs that work against a host', remoteVerbs()],
  ['validators · HTTP clients · `typeName` · `isObject`', copies().join(' · ')],
  ['lines that import, or export from another file', percent(sum(files.map(importLines)), lineCount(files))],
  ...packages.map((name) => {
    const own = files.filter((file) => file.startsWith(`packages/${name}/`));
    return [
      `comments in ${name}, of its lines that are not empty`,
      percent(sum(own.map(commentLines)), sum(own.map(filledLines))),
    ];
  }),
];
console.log(`| | ${relative(process.cwd(), tree) || 'this tree'} |\n|---|---|`);
for (const [what, value] of rows) console.log(`| ${what} | ${value} |`);
