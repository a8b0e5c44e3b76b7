import { type Command, Option } from 'commander';

/** Lets a verb work on another host: `--host` and the variable that holds the key for it. */
export const addHost = (command: Command, does = 'on another host instead of in this process'): Command =>
  command
    .option('--host <url>', does)
    .addOption(
      new Option('--key-env <name>', 'environment variable that holds the API key for --host').default(
        'TOUCHSTONE_KEY',
      ),
    );
