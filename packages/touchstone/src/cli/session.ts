import type { Principal } from '@touchstone/protocol';
import { type Client, createClientOver } from '@touchstone/sdk';
import { openHost } from './host-session.js';
import { type Context, DEFAULT_DATA, type Settings, UsageError } from './io.js';
import { hasStore, type Local, type Needs, withTouchstone } from './local.js';
import { shellWord } from './render/shell.js';
import { noRun } from './run-lookup.js';

/** Where a command works: on another host, or in this process. */
export type Where = {
  /** Address of another host. */
  readonly host?: string | undefined;
  /** The environment variable that holds the key for it. */
  readonly keyEnv?: string | undefined;
};

/** One host, the same for every verb wherever it is. */
export type Session = {
  /** Everything that a verb reads and writes goes through it. */
  readonly client: Client;
  readonly where: Where;
  /** The host in this process, for what only its operator may do: use files of this machine, and drive runs. */
  readonly local?: Local;
};

/** Opens a host for the time of one command. */
export async function withSession<T>(
  context: Context,
  where: Where,
  needs: Needs,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const { host, keyEnv } = where;
  if (host !== undefined) {
    const client = openHost(context, host, keyEnv);
    return use({ client, where: { host, keyEnv } }).catch((error: unknown) => {
      throw inPlace(error, where);
    });
  }
  return withTouchstone(context, needs, async (local) =>
    use({ client: await localClient(local), where: {}, local }),
  );
}

/** The same for a command that goes on with a run. Where nothing is kept, there is none. */
export async function withKeptRun<T>(
  context: Context,
  where: Where,
  needs: Needs,
  name: string,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  if (where.host === undefined && !(await hasStore(context))) throw noRun(name);
  return withSession(context, where, needs, use);
}

/** The operations of a host in this process, as the person at the machine. */
export async function localClient(
  { touchstone, config, principal: own }: Local,
  principal: Principal = own,
): Promise<Client> {
  const { createAccessAudit, createLocalTransport, createServices, endpointsOf } = await import(
    '../api/index.js'
  );
  const { systemClock } = await import('../app/index.js');
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const services = createServices({ touchstone, config, log, clock: systemClock });
  const endpoints = endpointsOf(services, { testSeams: false });
  const audit = createAccessAudit(touchstone, systemClock);
  const origin = config.publicUrl ?? '';
  return createClientOver(createLocalTransport(endpoints, principal, { audit, origin }));
}

/** Where the runs of a session are, for a sentence: `here`, or the host that was named. */
export const placeOf = ({ where: { host } }: Pick<Session, 'where'>): string =>
  host === undefined ? 'here' : `on ${new URL(host).host}`;

/** Verbs that take `--host`. */
const HOST_COMMAND =
  /\btouchstone (?:runs?|show|compare|baseline|replay|rejudge|annotate|export|verify|validate|promote|approve|deployments|audit|pack install|suite install|keys list)\b(?:(?!\.(?:\s|$)|[",;:]| or | already).)*/g;

/** The commands of a text, each with what makes it go to the same host. */
export function completeCommands(text: string, where: Where): string {
  const flags = whereFlags(where);
  if (flags.length === 0) return text;
  return text.replace(HOST_COMMAND, (command) =>
    command.includes('--host') ? command : [command.trimEnd(), ...flags].join(' '),
  );
}

/** What a command could not do, told for the host that it was to do it on. Documents keep the words. */
function inPlace(error: unknown, where: Where): unknown {
  if (!(error instanceof UsageError) || where.host === undefined) return error;
  const place = placeOf({ where });
  const toThere = (text: string): string =>
    completeCommands(text.replaceAll(/\bkept here\b/g, 'kept there').replaceAll(/\bhere\b/g, place), where);
  return error.shownAs(toThere(error.message), error.hint && toThere(error.hint));
}

/** What to add to a command so that it goes to the same host. */
export const whereFlags = ({ host, keyEnv }: Where): readonly string[] =>
  host === undefined
    ? []
    : [...flag('--host', host), ...flag('--key-env', keyEnv === 'TOUCHSTONE_KEY' ? undefined : keyEnv)];

export const flag = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [`${name} ${shellWord(String(value))}`];

/** The program as it was called: inside an npm script, and by npx, it is not on the path. */
export const programToType = ({ env }: Context['io']): string =>
  `${env.npm_lifecycle_event === undefined ? '' : 'npx '}touchstone`;

/** A command that works when it is typed as shown. */
export const commandToType = ({ io, settings }: Context, words: string, where: Where = {}): string =>
  `${programToType(io)} ${[words, ...whereFlags(where)].join(' ')}${globalFlags(settings)}`;

/** A command to type again must find the same data. */
export const globalFlags = ({ data, config }: Settings): string =>
  [...flag('--data', data === DEFAULT_DATA ? undefined : data), ...flag('--config', config)]
    .map((words) => ` ${words}`)
    .join('');
