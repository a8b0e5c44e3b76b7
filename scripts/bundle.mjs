// Joins the built CLI into a few files. `touchstone run` loads some 250 small modules otherwise, and finding and opening
// them takes longer than evaluating a thousand tasks. Dependencies with native parts, or that only a server needs, stay
// where they are.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../packages/touchstone/dist/', import.meta.url));
const JOINED =
  /^(@touchstone\/|commander|picocolors|semver|cli-table3|string-width|strip-ansi|ansi-regex|is-fullwidth-code-point|emoji-regex)/;

/**
 * What is always loaded together is one file: finding, opening and linking one takes about a millisecond, and whatever
 * two verbs happen to share would be a file of its own. A module belongs to the first of these that reaches it.
 */
const FILES = [
  ['start', ['cli/main.js']],
  ['program', ['cli/program.js']],
  ['suites', ['suites/index.js', 'cli/verbs/project/validate.js']],
  ['run', ['cli/verbs/run/run.js', 'app/index.js', 'api/index.js']],
];

function createFileOf() {
  const reached = new Map();
  const reach = (id, file, context) => {
    if (reached.has(id)) return;
    reached.set(id, file);
    for (const next of context.getModuleInfo(id)?.importedIds ?? []) reach(next, file, context);
  };
  return (id, context) => {
    if (reached.size === 0)
      for (const [file, entries] of FILES) for (const entry of entries) reach(dist + entry, file, context);
    return reached.get(id);
  };
}

const bundle = await rolldown({
  input: {
    main: `${dist}cli/main.js`,
    // A thread is started from a file beside whoever starts it, so this one keeps its name.
    'module-worker': `${dist}agents/kinds/module/module-worker.js`,
  },
  platform: 'node',
  external: (id) => !/^[./]/.test(id) && !JOINED.test(id),
  logLevel: 'warn',
  preserveEntrySignatures: 'allow-extension',
  // Some verbs load later what others load at once; both are right.
  checks: { ineffectiveDynamicImport: false },
});
rmSync(`${dist}bundle`, { recursive: true, force: true });
await bundle.write({
  dir: `${dist}bundle`,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  comments: { jsdoc: false },
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: 'loaded together', name: createFileOf() }],
  },
});
await bundle.close();
