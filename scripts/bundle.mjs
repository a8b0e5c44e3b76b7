// Joins the built CLI into a few files. `touchstone run` loads some 250 small modules otherwise, and finding and opening
// them takes longer than evaluating a thousand tasks. Dependencies with native parts, or that only a server needs, stay
// where they are.
//
// Each build has a folder of its own, named by its content, and `bundle/main.cjs` leads to the newest. A host that was
// started from an older one finds the files it has not loaded yet: building again must not break it. With `--only` the
// older ones go, which is what a published package wants.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const own = fileURLToPath(new URL('../packages/touchstone/dist/', import.meta.url));
const given = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
const dist = given === undefined ? own : `${resolve(given)}/`;
const JOINED =
  /^(@touchstone\/|@modelcontextprotocol\/(server|core)(\/|$)|zod(\/|$)|ajv\/dist\/runtime\/|commander|fastest-levenshtein|yaml$|picocolors|semver|cli-table3|string-width|strip-ansi|ansi-regex|is-fullwidth-code-point|emoji-regex)/;

/**
 * What is always loaded together is one file: finding, opening and linking one takes about a millisecond, and whatever
 * two verbs happen to share would be a file of its own. A module belongs to the first of these that reaches it.
 */
const FILES = [
  ['thread', ['cli/early-thread.js']],
  ['start', ['cli/main.js']],
  ['program', ['cli/program.js']],
  ['suites', ['suites/index.js', 'cli/verbs/project/validate.js']],
  ['run', ['cli/verbs/run/run.js', 'app/index.js', 'api/index.js']],
];

/** All that `--version` needs of the sdk. Whoever imports it names the whole list of the sdk's views. */
const VIEWS = '/sdk/dist/view/index.js';
const VIEW_OF_START = '/printable.js';

function createFileOf() {
  const reached = new Map();
  const reach = (id, file, context) => {
    if (reached.has(id)) return;
    const next = context.getModuleInfo(id)?.importedIds ?? [];
    const isPart = file === 'start' && id.endsWith(VIEWS);
    if (!isPart) reached.set(id, file);
    for (const one of next) if (!isPart || one.endsWith(VIEW_OF_START)) reach(one, file, context);
  };
  return (id, context) => {
    if (reached.size === 0)
      for (const [file, entries] of FILES) for (const entry of entries) reach(dist + entry, file, context);
    return reached.get(id);
  };
}

/**
 * `createRequire` is for what is loaded when it is first needed. In the bundle that is `require`, so that what is bundled comes
 * from the bundle then, and not from a file that Node has to find and compile.
 */
const requireFromBundle = {
  name: 'require from the bundle',
  transform: (code) =>
    code
      .replaceAll('const require = createRequire(import.meta.url);', '')
      .replaceAll('createRequire(import.meta.url)', 'require'),
};

const common = {
  platform: 'node',
  external: (id) => !/^[./]/.test(id) && !JOINED.test(id),
  logLevel: 'warn',
  plugins: [requireFromBundle],
};
const fresh = `${dist}bundling-${process.pid}`;

const BEYOND_ASCII = /[^\0-\x7f]/;
const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Code that V8 takes from a cache cannot say `import()`: it calls a function that the loader hands to every file. The files are
 * ASCII, which is read without decoding and takes half the memory.
 */
const forLoader = {
  name: 'for the loader',
  generateBundle(_, files) {
    for (const file of Object.values(files)) file.code = adapted(file.code, this.parse(file.code));
  },
};

function adapted(code, tree) {
  const imports = [];
  const find = (node) => {
    if (typeof node !== 'object' || node === null) return;
    if (node.type === 'ImportExpression') imports.push(node.start);
    if (node.type === 'TaggedTemplateExpression') checkRaw(code.slice(node.start, node.end));
    Object.values(node).forEach(find);
  };
  find(tree);
  return imports
    .sort((a, b) => b - a)
    .reduce((text, at) => `${text.slice(0, at)}__import${text.slice(at + 'import'.length)}`, code)
    .replaceAll(new RegExp(BEYOND_ASCII, 'g'), escaped);
}

/** An escape is the character everywhere but in a raw text. */
function checkRaw(template) {
  if (BEYOND_ASCII.test(template)) throw new Error(`Write this with ASCII characters only: ${template}`);
}

/**
 * The library of OpenTelemetry is large and few use it, so it is no dependency: it is joined with the one file that calls it, in
 * the place where programs that import the package find that file too.
 */
async function joinInPlace(entry) {
  const file = dist + entry;
  // One that was joined by an earlier build stays as it is.
  if (!/from '@opentelemetry\//.test(readFileSync(file, 'utf8'))) return;
  const joined = await rolldown({
    ...common,
    input: file,
    external: /^(node:|https?$)/,
    // Its modules leave out what is not used; its CommonJS files, which Node would take, cannot.
    resolve: { mainFields: ['module', 'main'] },
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await joined.generate({
    format: 'esm',
    comments: { jsdoc: false },
    codeSplitting: false,
  });
  await joined.close();
  writeFileSync(`${file}.new`, output[0].code);
  renameSync(`${file}.new`, file);
}
await joinInPlace('telemetry/otlp.js');

// CommonJS, which V8 takes from its code cache on every Node (cli/code-cache).
const bundle = await rolldown({
  ...common,
  input: { cli: `${dist}cli/main.js`, thread: `${dist}cli/early-thread.js` },
  preserveEntrySignatures: 'allow-extension',
  // Some verbs load later what others load at once; both are right.
  checks: { ineffectiveDynamicImport: false },
  plugins: [requireFromBundle, forLoader],
});
await bundle.write({
  dir: fresh,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  comments: { jsdoc: false },
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: 'loaded together', name: createFileOf() }],
  },
});
await bundle.close();

/** A module has no `require` of its own. */
const OWN_REQUIRE = `import { createRequire as ownRequire } from 'node:module';\nconst require = ownRequire(import.meta.url);`;

/**
 * What is started by itself is one file, with what it needs of the modules and nothing else: a thread that loads the whole host
 * starts slowly and takes its memory again.
 */
async function bundleAlone(name, entry, format = 'esm') {
  const alone = await rolldown({
    ...common,
    input: { [name]: dist + entry },
    treeshake: { moduleSideEffects: false },
  });
  await alone.write({
    dir: fresh,
    format,
    entryFileNames: format === 'esm' ? '[name].js' : '[name].cjs',
    banner: format === 'esm' ? OWN_REQUIRE : '',
    comments: { jsdoc: false },
    codeSplitting: false,
  });
  await alone.close();
}
// The file that everything starts from is loaded before Node has set up what modules need.
await bundleAlone('main', 'cli/code-cache/start.js', 'cjs');
// A thread is started from a file beside whoever starts it, so these keep their names.
await bundleAlone('module-worker', 'threads/module-worker.js');
await bundleAlone('checker-worker', 'app/checkers/checker-worker.js');
await bundleAlone('writer-worker', 'store/sqlite/writer-worker.js');
// So does the file that new stores begin as.
copyFileSync(`${dist}store/sqlite/empty-store.db`, `${fresh}/empty-store.db`);

const digest = createHash('sha256');
for (const name of readdirSync(fresh).sort()) digest.update(name).update(readFileSync(`${fresh}/${name}`));
const folder = `bundle-${digest.digest('hex').slice(0, 12)}`;
if (existsSync(dist + folder)) rmSync(fresh, { recursive: true });
else renameSync(fresh, dist + folder);
const now = new Date();
utimesSync(dist + folder, now, now);

mkdirSync(`${dist}bundle`, { recursive: true });
writeFileSync(`${dist}bundle/main.cjs.new`, `module.exports = require('../${folder}/main.cjs');\n`);
renameSync(`${dist}bundle/main.cjs.new`, `${dist}bundle/main.cjs`);

const KEPT_MS = 7 * 24 * 3_600_000;
const keepsOlder = !process.argv.includes('--only');
for (const name of readdirSync(dist)) {
  if (!name.startsWith('bundle-') || name === folder) continue;
  const isRecent = now.getTime() - statSync(dist + name).mtimeMs < KEPT_MS;
  if (!(keepsOlder && isRecent)) rmSync(dist + name, { recursive: true });
}
