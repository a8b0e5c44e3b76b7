import { BlockList, isIP } from 'node:net';
import type { Issue } from '@touchstone/protocol';

type Subnet = { readonly network: string; readonly bits: number; readonly family: 'ipv4' | 'ipv6' };

/** Whether an address is one of a trusted proxy. */
export type TrustedProxies = (address: string) => boolean;

/** What is wrong with `trustedProxies`: every entry is an address, or a range of addresses in CIDR notation. */
export const proxyIssues = (entries: readonly string[]): readonly Issue[] =>
  entries.flatMap((entry, index) =>
    subnetOf(entry)
      ? []
      : [
          {
            pointer: `/trustedProxies/${index}`,
            message:
              'expected an address such as 10.0.0.7, or a range such as 10.0.0.0/8 that is not everything',
          },
        ],
  );

export function createTrustedProxies(entries: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const entry of entries) {
    const subnet = subnetOf(entry);
    if (subnet) list.addSubnet(subnet.network, subnet.bits, subnet.family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== undefined && list.check(address, family);
  };
}

/** A range of no bits would be every caller, and so every caller could name any address as its own. */
function subnetOf(entry: string): Subnet | undefined {
  const [network = '', prefix, ...rest] = entry.split('/');
  const family = familyOf(network);
  if (!family || network.includes('%') || rest.length > 0) return undefined;
  const most = family === 'ipv4' ? 32 : 128;
  if (prefix === undefined) return { network, bits: most, family };
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
  return bits >= 1 && bits <= most ? { network, bits, family } : undefined;
}

function familyOf(address: string): Subnet['family'] | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}
