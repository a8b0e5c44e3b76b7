// Joins the built CLI into a few files. `touchstone run` loads some 250 small modules otherwise, and finding and opening
// them takes longer than evaluating a thousand tasks. Dependencies with native parts, or that only a server needs, stay
// where they are.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../packages/touchstone/dist/', import.meta.url));
const JOINED = /^(@touchstone\/|commander|picocolors|semver|cli-table3|string-width)/;

const bundle = await rolldown({
  input: {
    main: `${dist}cli/main.js`,
    // A thread is started from a file beside whoever starts it, so this one keeps its name.
    'module-worker': `${dist}agents/module-worker.js`,
  },
  platform: 'node',
  external: (id) => !/^[./]/.test(id) && !JOINED.test(id),
  logLevel: 'warn',
});
rmSync(`${dist}bundle`, { recursive: true, force: true });
await bundle.write({
  dir: `${dist}bundle`,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
