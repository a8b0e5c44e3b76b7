#!/usr/bin/env node
const { main, processIo } = await import('../dist/bundle/main.js');
const exitCode = await main(process.argv.slice(2), processIo());
// An agent's module may have left a timer or a socket behind; what was written is out before the process ends.
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)));
