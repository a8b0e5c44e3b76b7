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

/** Taken out of what the driver gets. */
const OURS = ['schema', 'prepare'];

/** What the driver `pg` reads from an address. */
const OF_DRIVER = [
  'application_name',
  'binary',
  'client_encoding',
  'fallback_application_name',
  'host',
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  'options',
  'password',
  'port',
  'query_timeout',
  'replication',
  'ssl',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslrootcert',
  'statement_timeout',
  'uselibpqcompat',
  'user',
];

/** What libpq knows beyond that. The driver passes over it, and an address that psql takes is to be good for Touchstone, too. */
const OF_LIBPQ = [
  'channel_binding',
  'connect_timeout',
  'dbname',
  'gssdelegation',
  'gssencmode',
  'gsslib',
  'hostaddr',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'krbsrvname',
  'load_balance_hosts',
  'max_protocol_version',
  'min_protocol_version',
  'oauth_client_id',
  'oauth_client_secret',
  'oauth_issuer',
  'oauth_scope',
  'passfile',
  'require_auth',
  'requirepeer',
  'requiressl',
  'scram_client_key',
  'scram_server_key',
  'service',
  'servicefile',
  'ssl_max_protocol_version',
  'ssl_min_protocol_version',
  'sslcertmode',
  'sslcompression',
  'sslcrl',
  'sslcrldir',
  'sslkeylogfile',
  'sslpassword',
  'sslsni',
  'target_session_attrs',
  'tcp_user_timeout',
];

const KNOWN = new Set([...OURS, ...OF_DRIVER, ...OF_LIBPQ]);

export function readPostgresAddress(address: string): PostgresAddress {
  const url = parsed(address);
  checkParameters(url);
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

/** A mistyped name that is passed over would, for one, put the tables into another schema. */
function checkParameters(url: URL): void {
  const unknown = [...url.searchParams.keys()].find((name) => !KNOWN.has(name));
  if (unknown === undefined) return;
  const which = maySay(unknown, url) ? `"${unknown}"` : 'one of its parameters';
  throw invalid(
    `${which} is not known. The parameters of Touchstone are ${OURS.join(' and ')}; passed on to the driver are ${OF_DRIVER.join(', ')}; and those of libpq are let through. Reserved characters such as "?", "&" and "#" in user and password have to be percent-encoded`,
  );
}

const PLAIN_NAME = /^[a-z]\w{0,40}$/i;
const HAS_SECRET = /@|[?&](password|sslpassword|oauth_client_secret)=/;

/** A "?" or "&" in a password that is not percent-encoded makes a parameter of what follows it. */
const maySay = (name: string, { search }: URL): boolean => PLAIN_NAME.test(name) && !HAS_SECRET.test(search);

const invalid = (why: string): HostError =>
  new HostError('validation_error', `The address of the PostgreSQL store cannot be used: ${why}.`, {
    reason: 'address',
  });
