import { HostError } from '@touchstone/protocol';

/** Where the tables are. `shown` names the database without user name and password, for messages. */
export type PostgresAddress = {
  /** For the driver; holds the password. */
  readonly url: string;
  readonly schema: string;
  readonly shown: string;
  /**
   * False behind a pooler, which may give each transaction another session of the server: then nothing relies on what was set or
   * prepared before.
   */
  readonly keepsSession: boolean;
};

const DEFAULT_SCHEMA = 'touchstone';
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

export const isPostgresUrl = (address: string): boolean => /^postgres(ql)?:\/\//.test(address);

/** `schema` and `prepare` are ours, and are taken out of what the driver gets. */
export function readPostgresAddress(address: string): PostgresAddress {
  const url = parsed(address);
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA;
  if (!SCHEMA_NAME.test(schema))
    throw invalid(
      'its "schema" is not a name of lower-case letters, digits and "_" that begins with a letter',
    );
  const prepare = url.searchParams.get('prepare') ?? 'true';
  if (prepare !== 'true' && prepare !== 'false') throw invalid('its "prepare" is neither true nor false');
  url.searchParams.delete('schema');
  url.searchParams.delete('prepare');
  const shown = `postgres://${url.host || 'localhost'}${url.pathname}${schema === DEFAULT_SCHEMA ? '' : `?schema=${schema}`}`;
  return { url: url.href, schema, shown, keepsSession: prepare === 'true' };
}

/** The password in an address, as the server gets it. */
export function postgresPassword(address: string): string | undefined {
  if (!isPostgresUrl(address) || !URL.canParse(address)) return undefined;
  const { password, searchParams } = new URL(address);
  return searchParams.get('password') ?? (password === '' ? undefined : decodeURIComponent(password));
}

/** The parser's own message quotes the address, and with it the password. */
function parsed(address: string): URL {
  try {
    return new URL(address);
  } catch {
    throw invalid(
      'expected postgres://user:password@host:port/database, with reserved characters such as "#" and "/" in user and password percent-encoded',
    );
  }
}

const invalid = (why: string): HostError =>
  new HostError('validation_error', `The address of the PostgreSQL store cannot be used: ${why}.`, {
    reason: 'address',
  });
