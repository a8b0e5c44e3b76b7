// Builds the web page into the package that serves it, with the compressed forms that browsers ask for. The names of its files hold
// their digests, so a browser keeps them for good. A second build makes the page in one file: one script and one style, which
// `touchstone export --html` puts into a document with the data of a run.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { shortFile } from './build-page/short-file.mjs';

const root = fileURLToPath(new URL('../packages/web/', import.meta.url));
const outDir = fileURLToPath(new URL('../packages/touchstone/page/', import.meta.url));

/** Modules of the client and the protocol only export; what the page does not use of them is left out. */
const hasSideEffects = (id) => !/\/packages\/(sdk|protocol)\//.test(id);

/** What only a host can fill, or answer, is replaced by less in a file: it would take room in every one. */
const instead = readdirSync(`${root}src/file/instead`).map((name) => name.replace(/\.tsx?$/, ''));
const insteadOfHosts = [
  { find: new RegExp(`^.*/(${instead.join('|')})\\.js$`), replacement: `${root}src/file/instead/$1` },
];

const buildInto = (folder, mode, { moduleSideEffects = hasSideEffects, plugins = [], ...rolldownOptions }) =>
  build({
    root,
    mode,
    plugins,
    configFile: false,
    resolve: { alias: mode === 'file' ? insteadOfHosts : [] },
    logLevel: 'warn',
    // Shorter than calls of the automatic runtime, which name the children of every element.
    oxc: {
      jsx: { runtime: 'classic', pragma: 'element', pragmaFrag: 'Parts' },
      jsxInject: "import { h as element, Fragment as Parts } from 'preact'",
    },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2022',
      cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
      assetsInlineLimit: 0,
      cssCodeSplit: false,
      // A file has nothing to load.
      modulePreload: mode === 'file' ? false : { polyfill: false },
      write: folder !== undefined,
      rolldownOptions: { treeshake: { moduleSideEffects }, ...rolldownOptions },
    },
  });

/** The script that asks for what the first screen needs. All else that its modules do belongs to the page. */
const {
  output: [first],
} = await buildInto(undefined, 'production', {
  input: `${root}src/first-questions.ts`,
  moduleSideEffects: false,
  output: { format: 'iife', entryFileNames: 'assets/first-[hash].js' },
});
const MODULE = '<script type="module"';
const withFirst = {
  name: 'first-questions',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => html.replace(MODULE, `<script src="/${first.fileName}"></script>\n    ${MODULE}`),
  },
};
// What every page needs is one file: each further one would be asked for on its own.
const together = {
  codeSplitting: {
    groups: [
      { name: 'index', tags: ['$initial'], priority: 1 },
      { name: 'shared', minShareCount: 2 },
    ],
  },
};
await buildInto(outDir, 'production', { plugins: [withFirst], output: together });
writeFileSync(outDir + first.fileName, first.code);

// The first screen calls most of it. A browser that knows compiles it on another thread while it loads; others skip a comment.
const index = `${outDir}assets/${readdirSync(`${outDir}assets`).find((name) => /^index-.*js$/.test(name))}`;
writeFileSync(index, `//# allFunctionsCalledOnLoad\n${readFileSync(index, 'utf8')}`);

for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const path = `${entry.parentPath}/${entry.name}`;
  const bytes = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
}

await buildInto(`${outDir}file/`, 'file', {
  input: `${root}src/file/main.tsx`,
  output: { format: 'iife', entryFileNames: 'file.js', assetFileNames: 'file[extname]' },
});
const script = readFileSync(`${outDir}file/file.js`, 'utf8');
// A script in a document ends at the first end tag, wherever it stands.
if (/<\/script|<!--/i.test(script))
  throw new Error(
    'The script of the page in one file has the end of a script, or the start of a comment, in it.',
  );

const short = shortFile(readFileSync(`${outDir}file/file.css`, 'utf8'), script);
writeFileSync(`${outDir}file/file.css`, short.css);
writeFileSync(`${outDir}file/file.js`, short.script);
