import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import LongestFirst from './test/setup/longest-first.js';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Modules whose tests mostly start a whole host in their own process, as all flows do. */
const HOST_MODULES = 'packages/touchstone/src/{app,api,server,cli}/**/*.test.ts';
const SLOW = '**/*.slow.test.ts';

/** A store in memory-backed storage needs no disk to flush to; what must survive a crash is tested in `slow`, on disk. */
const FAST_FOLDER = '/dev/shm';
const BYTES_NEEDED = 2 ** 30;
function fastFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(FAST_FOLDER);
    return bavail * bsize >= BYTES_NEEDED ? FAST_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}
const fast = { env: { TMPDIR: fastFolder() } };

type Tests = NonNullable<TestProjectInlineConfiguration['test']>;
/** Projects run one after the other, in this order: a process is used again only for a file of the same project. */
const project = (groupOrder: number, name: string, test: Tests): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, sequence: { groupOrder }, ...test },
});

// Tests read the sources, not the build, so that a failing line is the line in the editor.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@touchstone\/protocol$/, replacement: source('packages/protocol/src/index.ts') },
      {
        find: /^@touchstone\/protocol\/bodies$/,
        replacement: source('packages/protocol/src/model/bodies.ts'),
      },
      {
        find: /^@touchstone\/protocol\/schema$/,
        replacement: source('packages/protocol/src/wire/schema/index.ts'),
      },
      { find: /^@touchstone\/protocol\/tasks$/, replacement: source('packages/protocol/src/tasks/index.ts') },
      { find: /^@touchstone\/protocol\/wire$/, replacement: source('packages/protocol/src/wire/index.ts') },
      { find: /^@touchstone\/sdk\/view$/, replacement: source('packages/sdk/src/view/index.ts') },
      { find: /^@touchstone\/sdk$/, replacement: source('packages/sdk/src/index.ts') },
      { find: /^touchstone$/, replacement: source('packages/touchstone/src/index.ts') },
    ],
  },
  test: {
    // The files of a project share a process and its loaded modules: loading them again for each file costs more than
    // all tests together. A test that changes something global puts it back.
    isolate: false,
    pool: 'forks',
    // One more than the two cores this is tuned for: while the tests of one wait for a time or a program, those of another run.
    maxWorkers: 3,
    // A safety net for tests that never end, far above what a busy machine needs. Tests wait for events, not for time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    setupFiles: ['test/setup/property-seed.ts'],
    globalSetup: ['test/setup/flow-cluster.ts'],
    reporters: ['default', './test/setup/omissions.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      project(0, 'unit', {
        include: ['packages/*/src/**/*.test.ts', 'test/*.test.ts', 'test/ports/**/*.test.ts'],
        exclude: [HOST_MODULES, SLOW],
        ...fast,
      }),
      project(1, 'host', {
        include: [HOST_MODULES, 'test/flows/**/*.test.ts'],
        exclude: [SLOW],
        ...fast,
      }),
      project(2, 'slow', {
        include: ['packages/*/src/**/*.slow.test.ts', 'test/**/*.slow.test.ts'],
        // Many of these wait most of their time: for leases, for databases that are away, for programs that start.
        maxWorkers: 4,
        testTimeout: 600_000,
        hookTimeout: 600_000,
      }),
    ],
  },
});
