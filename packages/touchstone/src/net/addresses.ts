import { BlockList, isIPv4, isIPv6 } from 'node:net';

// Everything that is not plainly a public unicast address. What is missing from these lists is reachable from any
// tenant's URL, so a range is listed when in doubt.
const V4_NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local, and the metadata services of clouds
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4',
];
const V6_NOT_PUBLIC = [
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32',
  '3fff::/20',
];

const blockedV4 = blockList(V4_NOT_PUBLIC, 'ipv4');
const blockedV6 = blockList(V6_NOT_PUBLIC, 'ipv6');

/** Whether an address is public unicast. Text that is no address is not public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !blockedV4.check(address, 'ipv4');
  // A zone id names an interface of this machine, which only a link-local address needs.
  if (!isIPv6(address) || address.includes('%')) return false;
  const groups = groupsOf(address);
  const carried = carriedV4(groups);
  if (carried !== undefined) return isPublicAddress(carried);
  const isGlobalUnicast = ((groups[0] ?? 0) & 0xe000) === 0x2000;
  return isGlobalUnicast && !blockedV6.check(address, 'ipv6');
}

/** The IPv4 address a transition mechanism would deliver to: 6to4 and the well-known NAT64 prefix. */
function carriedV4(groups: readonly number[]): string | undefined {
  if (groups[0] === 0x2002) return dotted(groups[1], groups[2]);
  const isNat64 =
    groups[0] === 0x64 && groups[1] === 0xff9b && groups.slice(2, 6).every((group) => group === 0);
  return isNat64 ? dotted(groups[6], groups[7]) : undefined;
}

const dotted = (high = 0, low = 0): string => [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');

/** The eight groups. The URL parser brings every spelling, dotted tails included, to one form. */
function groupsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const before = parseGroups(head);
  if (tail === undefined) return before;
  const after = parseGroups(tail);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

const parseGroups = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));

function blockList(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
