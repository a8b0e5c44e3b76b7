// The command line from its single files instead of the bundle, so that a profile can name them.
import { main, processIo } from '../../packages/touchstone/dist/cli/main.js';

process.exitCode = await main(process.argv.slice(2), processIo());
