import { type Context, DEFAULT_DATA, type Settings } from './io.js';
import type { Where } from './session.js';

/** What to add to a command so that it goes to the same host. */
export const whereFlags = ({ host, keyEnv }: Where): readonly string[] =>
  host === undefined
    ? []
    : [...flag('--host', host), ...flag('--key-env', keyEnv === 'TOUCHSTONE_KEY' ? undefined : keyEnv)];

export const flag = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [`${name} ${shellWord(String(value))}`];

/** A name with a space in it is one word when it is typed again. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A command that works when it is typed as shown: inside an npm script the program itself is not on the path. */
export const commandToType = ({ io, settings }: Context, words: string): string =>
  `${io.env.npm_lifecycle_event === undefined ? '' : 'npx '}touchstone ${words}${globalFlags(settings)}`;

/** A command to type again must find the same data. */
export const globalFlags = ({ data, config }: Settings): string =>
  [...flag('--data', data === DEFAULT_DATA ? undefined : data), ...flag('--config', config)]
    .map((words) => ` ${words}`)
    .join('');
