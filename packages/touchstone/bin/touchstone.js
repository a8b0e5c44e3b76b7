#!/usr/bin/env node
// CommonJS: Node starts it sooner than a module.
const { main, processIo } = require('../dist/bundle/main.cjs');

main(process.argv.slice(2), processIo()).then((exitCode) => {
  // An agent's module may have left a timer or a socket behind; what was written is out before the process ends.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)));
});
