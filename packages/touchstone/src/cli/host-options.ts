import { type Command, Option } from 'commander';

/** The address of another host. */
export const hostOption = (does = 'on another host instead of in this process'): Option =>
  new Option('--host <url>', does);

/** The environment variable that holds the key for another host. */
export const keyOption = (): Option =>
  new Option('--key-env <name>', 'environment variable that holds the API key for --host').default(
    'TOUCHSTONE_KEY',
  );

/** Lets a verb work on another host. */
export const addHost = (command: Command, does?: string): Command =>
  command.addOption(hostOption(does)).addOption(keyOption());
