#!/usr/bin/env node
import module from 'node:module';

// Node 22 and later keep the compiled code of other packages between starts. That of the bundle is kept on every Node.
module.enableCompileCache?.();

const { keepCompiledCode, main, processIo } = await import('../dist/bundle/main.js');
const exitCode = await main(process.argv.slice(2), processIo());
// An agent's module may have left a timer or a socket behind; what was written is out before the process ends.
process.stdout.write('', () =>
  process.stderr.write('', () => {
    // A verb that does not exist ends with 2 as well, and leaves nothing behind.
    if (exitCode !== 2) keepCompiledCode();
    process.exit(exitCode);
  }),
);
