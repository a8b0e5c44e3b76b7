import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { HostError } from '@touchstone/protocol';
import type { TrustedProxies } from '../app/index.js';

/** Who sent a request, and under which address of this host. */
export type Remote = {
  readonly address: string;
  readonly protocol: 'http' | 'https';
  /** As the caller wrote it, with its port; empty when it is not known. */
  readonly host: string;
};

/** What one proxy says of the connection that it took. */
type Hop = {
  readonly address?: string | undefined;
  readonly protocol?: string | undefined;
  readonly host?: string | undefined;
};

/**
 * Reads who sent a request. What the headers of a proxy say counts only when a trusted proxy sent them: anyone can write
 * them. A trusted proxy passes on the headers that it does not know, so where `Forwarded` and `X-Forwarded-*` tell
 * different stories the caller may have written one of them, and neither counts.
 */
export function remoteOf({ socket, headers }: IncomingMessage, isTrusted: TrustedProxies): Remote {
  const address = addressOf(socket.remoteAddress);
  // A socket has no address any more when its caller has reset it.
  if (address === undefined) throw new HostError('validation_error', 'The caller closed the connection.');
  const direct: Remote = { address, protocol: 'http', host: headers.host ?? '' };
  if (!isTrusted(address)) return direct;
  const stories = [forwardedHops(headers), forwardedForHops(headers)].filter((hops) => hops.length > 0);
  const [told = direct, other = told] = stories.map((hops) => follow(hops, direct, isTrusted));
  const isAgreed =
    told.address === other.address && told.protocol === other.protocol && told.host === other.host;
  return isAgreed ? told : direct;
}

/** From this host towards the caller, as far as every proxy on the way is trusted. */
function follow(hops: readonly Hop[], direct: Remote, isTrusted: TrustedProxies): Remote {
  let remote = direct;
  for (const hop of hops.toReversed()) {
    const address = addressOf(hop.address);
    const protocol = hop.protocol?.toLowerCase();
    remote = {
      address: address ?? remote.address,
      protocol: protocol === 'https' || protocol === 'http' ? protocol : remote.protocol,
      host: hop.host ?? remote.host,
    };
    if (address === undefined || !isTrusted(address)) break;
  }
  return remote;
}

/** `Forwarded` of RFC 7239: `for=192.0.2.60;proto=https;host=evals.example, for=198.51.100.17`. */
const forwardedHops = ({ forwarded }: IncomingHttpHeaders): readonly Hop[] =>
  listOf(forwarded).map((element) => {
    const pairs = element.split(';').map((pair): [name: string, value: string] => {
      const [name = '', ...value] = pair.split('=');
      return [
        name.trim().toLowerCase(),
        value
          .join('=')
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      ];
    });
    const members = new Map(pairs);
    return { address: members.get('for'), protocol: members.get('proto'), host: members.get('host') };
  });

/** Each proxy adds to the end of these lists, or writes a list of one: so they are laid side by side from their ends. */
function forwardedForHops(headers: IncomingHttpHeaders): readonly Hop[] {
  const [addresses, protocols, hosts] = ['for', 'proto', 'host'].map((name) =>
    listOf(headers[`x-forwarded-${name}`]),
  ) as [string[], string[], string[]];
  const count = Math.max(addresses.length, protocols.length, hosts.length);
  return Array.from({ length: count }, (_, index) => {
    const place = index - count;
    return { address: addresses.at(place), protocol: protocols.at(place), host: hosts.at(place) };
  });
}

const listOf = (header: string | readonly string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Without brackets, port and the IPv6 form of an IPv4 address; undefined for a name such as `unknown`. */
function addressOf(text: string | undefined): string | undefined {
  const bare = text?.match(/^\[(.*)\](?::\d+)?$/)?.[1] ?? text?.match(/^([\d.]+):\d+$/)?.[1] ?? text ?? '';
  const address = bare.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) === 0 ? undefined : address;
}

/** Every value of a header, in order. Node keeps only the first `Authorization`. */
export const headerValues = ({ rawHeaders }: IncomingMessage, name: string): readonly string[] =>
  rawHeaders.flatMap((text, index) =>
    index % 2 === 0 && text.toLowerCase() === name ? [rawHeaders[index + 1] ?? ''] : [],
  );
