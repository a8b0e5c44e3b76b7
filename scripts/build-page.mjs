// Builds the web page into the package that serves it, with the compressed forms that browsers ask for. The names of its files hold
// their digests, so a browser keeps them for good. A second build makes the page in one file: one script and one style, which
// `touchstone export --html` puts into a document with the data of a run.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = fileURLToPath(new URL('../packages/web/', import.meta.url));
const outDir = fileURLToPath(new URL('../packages/touchstone/page/', import.meta.url));

const buildInto = (folder, mode, rolldownOptions) =>
  build({
    root,
    mode,
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        // Modules of the client and the protocol only export; what the page does not use of them is left out.
        treeshake: { moduleSideEffects: (id) => !/\/packages\/(sdk|protocol)\//.test(id) },
        ...rolldownOptions,
      },
    },
  });

await buildInto(outDir, 'production', {});

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
// A script in a document ends at the first end tag, wherever it stands.
if (/<\/script|<!--/i.test(readFileSync(`${outDir}file/file.js`, 'utf8')))
  throw new Error(
    'The script of the page in one file has the end of a script, or the start of a comment, in it.',
  );
