import { isObject } from '@touchstone/protocol';
import { type Client, createClient, HostResponseError, HostUnreachable } from '@touchstone/sdk';
import { type Context, type Io, UsageError, writeLine } from './io.js';

/** A client of another host, with the key that the environment holds. Before its first request it sees what answers there. */
export function openHost({ io }: Context, host: string, keyEnv = 'TOUCHSTONE_KEY'): Client {
  const baseUrl = checkHost(host);
  const key = io.env[keyEnv];
  if (!key)
    throw new UsageError(
      // A key that was typed in the place of its variable's name must not reach a log.
      /^[A-Za-z]\w*$/.test(keyEnv) && !keyEnv.startsWith('ts_')
        ? `The environment variable ${keyEnv} holds no API key.`
        : '--key-env expects the name of an environment variable; got something else.',
      'Set it, or name another with --key-env.',
    );
  const before = (): Promise<void> => checkIsHost(io, createClient({ baseUrl }), baseUrl);
  return createClient({ baseUrl, key, before });
}

/** Refuses what is not the address of a host; answers with the address. */
export function checkHost(host: string): string {
  const url = /^https?:\/\//i.test(host) && URL.canParse(host) ? new URL(host) : undefined;
  if (!url)
    throw new UsageError(
      '--host expects a URL; got something else.',
      'For example: --host https://evals.example',
    );
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      '--host holds a user name or a password, which cannot be sent that way.',
      `Put an API key into a variable, and name that: --host ${url.origin} --key-env TOUCHSTONE_KEY`,
    );
  if (url.pathname === '/' && url.search === '' && url.hash === '') return url.origin;
  throw new UsageError(
    '--host expects the address of a host without a path, a query or a fragment.',
    `For example: --host ${url.origin}`,
  );
}

/** A host that is at work answers at once; one that is silent for so long is told of. */
const PATIENCE_MS = 5_000;
/** And one that is silent for this long is not there. */
const LIMIT_MS = 60_000;

/** Makes sure, before anything is asked, that a host is what answers: any other server would be misunderstood. */
async function checkIsHost(io: Io, client: Client, host: string): Promise<void> {
  const { origin } = new URL(host);
  let told = false;
  const stop = io.every(PATIENCE_MS, () => {
    if (!told) writeLine(io.stderr, `Still waiting for an answer of ${origin}. Ctrl-C stops.`);
    told = true;
  });
  try {
    const discovery: unknown = await client.discovery({ signal: AbortSignal.timeout(LIMIT_MS) });
    if (!isObject(discovery) || typeof discovery.protocolVersion !== 'string') throw notAHost(origin);
  } catch (error) {
    throw explained(error, origin);
  } finally {
    stop();
  }
}

function explained(error: unknown, origin: string): unknown {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new HostUnreachable(origin, error);
  // A host that is overloaded or being restarted says so, and is a host.
  const isOther = error instanceof HostResponseError && error.status < 500 && error.status !== 429;
  return isOther ? notAHost(origin) : error;
}

const notAHost = (origin: string): UsageError =>
  new UsageError(
    `${origin} answers, but it is no Touchstone host: it has no /.well-known/openwop document.`,
    'Check the address and the port of --host.',
  );
