import type { Io } from './io.js';
import { packageVersion } from './version.js';

export { processIo } from './process-io.js';

/**
 * Runs one command line and answers with its exit code. Asking for the version loads nothing; everything else loads the
 * option parser, and each verb only what it needs.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    io.stdout.write(`${packageVersion()}\n`);
    return 0;
  }
  const { runProgram } = await import('./program.js');
  return runProgram(argv, io);
}
