import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Tests read the sources, not the build, so that a failing line is the line in the editor.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@touchstone\/protocol$/, replacement: source('packages/protocol/src/index.ts') },
      {
        find: /^@touchstone\/protocol\/bodies$/,
        replacement: source('packages/protocol/src/model/bodies.ts'),
      },
      { find: /^@touchstone\/protocol\/wire$/, replacement: source('packages/protocol/src/wire/index.ts') },
      { find: /^@touchstone\/sdk$/, replacement: source('packages/sdk/src/index.ts') },
      { find: /^touchstone$/, replacement: source('packages/touchstone/src/index.ts') },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks', isolate: false,
  },
});
